/* SPDX-License-Identifier: MIT */
#include "target/abilities.h"

#include "target/confined.h"
#include "target/namespaces.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MOUNTS = 1, OVERLAYS = 2, PROCESSES = 4, NETWORK = 8, MARKS = 16 };

/* In a process of its own: what it returns, or 0 if that went wrong. */
static int ask(int (*question)(void))
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(question());
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 0;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

/* What is mounted in this process's namespace disappears with it. */
static bool try_overlay(void)
{
    return mount("tmpfs", "/tmp", "tmpfs", 0, "mode=0700") == 0 && chdir("/tmp") == 0 &&
           mkdir("lower", 0700) == 0 && mkdir("upper", 0700) == 0 && mkdir("work", 0700) == 0 &&
           mkdir("all", 0700) == 0 &&
           (mount("overlay", "all", "overlay", 0, "lowerdir=lower,upperdir=upper,workdir=work") ==
                0 ||
            mount("overlay", "all", "overlay", 0,
                  "userxattr,lowerdir=lower,upperdir=upper,workdir=work") == 0) &&
           mkdir("all/file", 0700) == 0;
}

/* Overlays of an ordinary user keep marks in such attributes. */
static bool try_marks(void)
{
    return setxattr("/tmp", "user.preplay", "", 0, 0) == 0;
}

static int mount_proc(void)
{
    return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0 ? PROCESSES
                                                                                       : 0;
}

static int about_files(void)
{
    if (namespaces_enter(true, false, NULL))
        return 0;
    int processes = unshare(CLONE_NEWPID) == 0 ? ask(mount_proc) : 0;
    return MOUNTS | processes | (try_overlay() ? OVERLAYS : 0) | (try_marks() ? MARKS : 0);
}

static int about_network(void)
{
    return namespaces_enter(false, true, NULL) ? 0 : NETWORK;
}

void abilities_find(struct abilities *abilities)
{
    int answers = ask(about_files) | ask(about_network);
    *abilities = (struct abilities){
        .users = namespaces_need_users(),
        .mounts = answers & MOUNTS,
        .overlays = answers & OVERLAYS,
        .processes = answers & PROCESSES,
        .network = answers & NETWORK,
        .marks_in_memory = answers & MARKS,
        .refusals = confined_possible(),
    };
}
