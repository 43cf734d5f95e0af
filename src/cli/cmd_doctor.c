/* SPDX-License-Identifier: MIT */
/* preplay doctor: what works on this machine, and what to do where it does not. */
#include "cli/command.h"
#include "target/abilities.h"
#include "target/library.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void line(bool good, const char *what, const char *advice)
{
    printf("%-4s %s%s%s\n", good ? "ok" : "NO", what, good ? "" : ": ", good ? "" : advice);
}

static bool succeeds(const char *command)
{
    int status = system(command);
    return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static const char program[] =
    "#include <pthread.h>\n"
    "static int shared; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
    "static void *run(void *a) { pthread_mutex_lock(&m); shared++; pthread_mutex_unlock(&m);"
    " return a; }\n"
    "int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); run(0);"
    " return pthread_join(t, 0); }\n";

/* Compiles, records and reads back a small program. */
static bool try_compiler(const char *self, const char *compiler, const char *directory)
{
    char command[8192];
    snprintf(command, sizeof command,
             "cd '%s' && PREPLAY_CC=%s '%s' cc p.c -o p -pthread >log 2>&1 && "
             "'%s' record -d trace ./p >>log 2>&1 && '%s' dump trace 2>>log | grep -q 'acq(m)'",
             directory, compiler, self, self, self);
    return succeeds(command);
}

static bool write_program(const char *directory)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/p.c", directory);
    FILE *file = fopen(path, "we");
    if (!file)
        return false;
    bool good = fputs(program, file) >= 0;
    return fclose(file) == 0 && good;
}

static bool try_valgrind(const char *self, const char *directory)
{
    char command[4 * LIBRARY_PATH];
    snprintf(command, sizeof command,
             "'%s' record --valgrind -d '%s/v' true >/dev/null 2>&1 && test -d '%s/v/streams'",
             self, directory, directory);
    return succeeds(command);
}

/* How far replays are kept apart from what is the user's (docs/replay.md). */
static void tell_of_sandbox(void)
{
    struct abilities can;
    abilities_find(&can);
    line(can.mounts, "replays find their files in mounts of their own, and change no others",
         can.users ? "they run in a copy of the working directory, and not at all if the program "
                     "writes elsewhere; allow user namespaces, or be root"
                   : "they run in a copy of the working directory, and not at all if the program "
                     "writes elsewhere; give the container CAP_SYS_ADMIN");
    line(can.overlays, "overlayfs spares them copies of directories",
         "load the kernel's module overlay (optional)");
    line(can.refusals, "a replay in a copy of its directory is refused to write elsewhere",
         "what preplay does not see of a run is not kept apart there; switch on Landlock, of "
         "Linux 6.2 (optional)");
    line(can.processes, "replays have processes of their own, which the kernel ends with preplay",
         "preplay itself ends what they leave behind; let /proc be mounted in PID namespaces "
         "(optional)");
    line(can.network, "replays have ports of their own",
         "they use the machine's; allow network namespaces (optional)");
}

int cmd_doctor(struct options *options, struct error *error)
{
    if (command_arguments(options, 0, "no arguments", error))
        return -1;
    char library[LIBRARY_PATH], self[LIBRARY_PATH] = "", directory[PATH_MAX], advice[PATH_MAX + 64];
    const char *temporary = getenv("TMPDIR");
    if (!temporary || !*temporary)
        temporary = "/tmp";
    snprintf(directory, sizeof directory, "%s/preplay-doctor-XXXXXX", temporary);
    bool good = library_directory(library, NULL) == 0;
    line(good, "the runtime library is in place",
         "install preplay, or set PREPLAY_LIBRARY to the directory of libpreplay.so");
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    errno = 0;
    bool made = length > 0 && mkdtemp(directory);
    bool scratch = made && write_program(directory);
    snprintf(advice, sizeof advice, "%s: %s; set TMPDIR to a directory that can be written",
             temporary, length > 0 ? strerror(errno) : "/proc is not mounted");
    line(scratch, "files can be made in the directory for temporary files", advice);
    bool gcc = scratch && good && try_compiler(self, "gcc", directory);
    line(gcc, "gcc compiles programs that can be recorded",
         scratch && good ? "install gcc, or use clang" : "see above");
    bool clang = scratch && good && try_compiler(self, "clang", directory);
    line(clang, "clang compiles programs that can be recorded",
         scratch && good ? "install clang (optional)" : "see above");
    line(succeeds("gdb --version >/dev/null 2>&1"), "gdb is there for preplay replay --gdb",
         "install gdb (optional)");
    line(scratch && good && try_valgrind(self, directory),
         "programs can be recorded with --valgrind",
         "install valgrind, and build preplay again (optional)");
    tell_of_sandbox();
    if (made) {
        char command[PATH_MAX + 16];
        snprintf(command, sizeof command, "rm -r '%s'", directory);
        succeeds(command);
    }
    return good && (gcc || clang) ? EXIT_OK : 1;
}
