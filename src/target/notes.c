/* SPDX-License-Identifier: MIT */
#include "target/notes.h"

#include "target/before.h"
#include "target/unseen.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void notes_add(struct notes *notes, const char *format, ...)
{
    size_t at = strlen(notes->text);
    if (at)
        at += (size_t)snprintf(notes->text + at, sizeof notes->text - at, ". ");
    va_list arguments;
    va_start(arguments, format);
    if (at < sizeof notes->text)
        vsnprintf(notes->text + at, sizeof notes->text - at, format, arguments);
    va_end(arguments);
}

void notes_lost(struct notes *notes, const struct before *before)
{
    size_t lost = 0;
    const char *first = NULL;
    for (size_t i = before->count; i-- > 0;)
        if (before->items[i].kind == BEFORE_LOST) {
            first = before->items[i].path;
            lost++;
        }
    if (lost)
        notes_add(notes,
                  "Replays found %zu file%s as the run had left %s (%.140s): too large to be kept "
                  "(--keep-files), or not readable",
                  lost, lost == 1 ? "" : "s", lost == 1 ? "it" : "them", first);
}

void notes_unseen(struct notes *notes, const struct before *before, const char *recording,
                  const char *directory)
{
    struct unseen unseen;
    unseen_find(&unseen, before, recording, directory);
    if (unseen.count)
        notes_add(notes,
                  "%zu file%s changed during the run, and not by what preplay sees of it "
                  "(%.140s): replays found %s so",
                  unseen.count, unseen.count == 1 ? "" : "s", unseen.first,
                  unseen.count == 1 ? "it" : "them");
}
