/* SPDX-License-Identifier: MIT */
/* What a user should know of how programs were kept apart when they were run again, as sentences.
 */
#ifndef PREPLAY_TARGET_NOTES_H
#define PREPLAY_TARGET_NOTES_H

struct before;

struct notes {
    char text[512]; /* "" if that is nothing; what does not fit is left out */
};

/* Adds a sentence. */
__attribute__((format(printf, 2, 3))) void notes_add(struct notes *notes, const char *format, ...);
/* Files that could not be kept as the run had found them. */
void notes_lost(struct notes *notes, const struct before *before);
/* Files that changed without anything of ours having seen it. */
void notes_unseen(struct notes *notes, const struct before *before, const char *recording,
                  const char *directory);

#endif
