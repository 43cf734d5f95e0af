/* SPDX-License-Identifier: MIT */
/* A program that changes its user or its groups cannot do so again in a user namespace, where
 * nobody else exists: that it did is noted, so that its replays are not run in one. */
#include "runtime/process.h"
#include "runtime/real.h"
#include "runtime/system.h"
#include "runtime/text.h"

struct who {
    uint32_t users[3], groups[3]; /* real, effective, saved */
};

static struct who ask(void)
{
    struct who who = {{0}, {0}};
    system_ask(SYS_getresuid, (long)&who.users[0], (long)&who.users[1], (long)&who.users[2], 0, 0,
               0);
    system_ask(SYS_getresgid, (long)&who.groups[0], (long)&who.groups[1], (long)&who.groups[2], 0,
               0, 0);
    return who;
}

static bool is_other(const struct who *a, const struct who *b)
{
    for (unsigned i = 0; i < 3; i++)
        if (a->users[i] != b->users[i] || a->groups[i] != b->groups[i])
            return true;
    return false;
}

/* Through whatever is left to write with: who has changed may not reach the trace any more. */
static void note(const struct who *now)
{
    char text[64];
    if (!process_recording())
        return;
    size_t at = text_number(text, 0, sizeof text, now->users[1]);
    at = text_append(text, at, sizeof text, " ");
    at = text_number(text, at, sizeof text, now->groups[1]);
    at = text_append(text, at, sizeof text, "\n");
    process_add("users", text, at);
}

#define CHANGE(name, parameters, arguments, always)                                                \
    EXPORT int name parameters;                                                                    \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        struct who before = ask();                                                                 \
        int result = REAL(name) arguments;                                                         \
        struct who after = ask();                                                                  \
        if (result == 0 && (always || is_other(&before, &after)))                                  \
            note(&after);                                                                          \
        return result;                                                                             \
    }

CHANGE(setuid, (uid_t user), (user), false)
CHANGE(seteuid, (uid_t user), (user), false)
CHANGE(setreuid, (uid_t own, uid_t effective), (own, effective), false)
CHANGE(setresuid, (uid_t own, uid_t effective, uid_t saved), (own, effective, saved), false)
CHANGE(setgid, (gid_t group), (group), false)
CHANGE(setegid, (gid_t group), (group), false)
CHANGE(setregid, (gid_t own, gid_t effective), (own, effective), false)
CHANGE(setresgid, (gid_t own, gid_t effective, gid_t saved), (own, effective, saved), false)
CHANGE(setgroups, (size_t count, const gid_t *groups), (count, groups), true)
CHANGE(initgroups, (const char *name, gid_t group), (name, group), true)
