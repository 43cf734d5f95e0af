/* SPDX-License-Identifier: MIT */
#include "explore/stepping.h"

#include "base/files.h"
#include "base/memory.h"
#include "explore/checked.h"
#include "explore/copies.h"
#include "target/library.h"
#include "target/sandbox.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_FOUND = 127 };      /* a shell's exit code */
enum { SPIN_PATIENCE = 1000 }; /* of a thread that reads the same while nobody else can run */

struct stepping {
    struct stepping_wish wish;
    struct sandbox *sandbox;
    struct stepper_page *page;
    int file;                /* of the page */
    struct checked *checked; /* NULL: no command looks at what a run leaves */
    char library[LIBRARY_PATH + 64], tsan[LIBRARY_PATH + 64];
    char here[PATH_MAX], input[PATH_MAX], modules[PATH_MAX];
    const char *output; /* of its runs */
    struct guard_task task;
    struct copies *copies;
};

/* --- in the process that becomes the program ----------------------------------------------------
 */

static void prepend(const char *variable, const char *first, char between)
{
    const char *old = getenv(variable);
    char joined[LIBRARY_PATH * 2];
    snprintf(joined, sizeof joined, "%s%.1s%s", first, old && *old ? (char[]){between, 0} : "",
             old ? old : "");
    setenv(variable, joined, 1);
}

static void use_file(const char *path, int flags, int as)
{
    int file = open(path, flags | O_CLOEXEC, FILES_MODE);
    if (file >= 0)
        dup2(file, as);
}

/* Its directory may be another one now: the name leads to it from where it was. */
static const char *program_file(char *path, size_t room, const struct stepping *stepping)
{
    const char *name = stepping->wish.command[0];
    if (*name == '/' || !strchr(name, '/'))
        return name;
    snprintf(path, room, "%s/%s", stepping->here, name);
    return path;
}

static void become_program(void *context)
{
    extern char **environ;
    struct stepping *stepping = context;
    char number[16], file[2 * PATH_MAX];
    if (stepping->wish.environment)
        environ = (char **)stepping->wish.environment;
    snprintf(number, sizeof number, "%d", stepping->file);
    setenv(STEPPER_VARIABLE, number, 1);
    if (!stepping->wish.beside)
        setenv(STEPPER_MODULES, stepping->modules, 1);
    if (sandbox_temporary(stepping->sandbox))
        setenv("TMPDIR", sandbox_temporary(stepping->sandbox), 1);
    copies_announce(stepping->copies);
    prepend("LD_PRELOAD", stepping->library, ' ');
    prepend("LD_LIBRARY_PATH", stepping->tsan, ':');
    personality(ADDR_NO_RANDOMIZE);
    setpgid(0, 0); /* signals that it sends to its group are not for us */
    if (chdir(sandbox_directory(stepping->sandbox)))
        return;
    use_file(stepping->input, O_RDONLY, STDIN_FILENO);
    use_file(stepping->output, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    dup2(STDOUT_FILENO, STDERR_FILENO);
    execvp(program_file(file, sizeof file, stepping), (char *const *)stepping->wish.command);
}

static void become(void *context)
{
    struct stepping *stepping = context;
    if (!stepping->checked || chdir(sandbox_directory(stepping->sandbox)))
        become_program(stepping);
    else
        checked_become(stepping->checked, stepping->wish.check, stepping->output,
                       &(struct checked_program){become_program, stepping, stepping->page});
}

static int enter(void *context, struct error *error)
{
    struct stepping *stepping = context;
    return sandbox_enter(stepping->sandbox, error);
}

/* --- preparing ----------------------------------------------------------------------------------
 */

static int find_library(struct stepping *stepping, struct error *error)
{
    static const char *const places[] = {"", "/../stepper"}; /* installed, in the build tree */
    char directory[LIBRARY_PATH];
    if (library_directory(directory, error))
        return -1;
    snprintf(stepping->tsan, sizeof stepping->tsan, "%s/tsan", directory);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(stepping->library, sizeof stepping->library, "%s%s/libpreplay_stepper.so",
                 directory, places[i]);
        if (access(stepping->library, R_OK) == 0)
            return 0;
    }
    return error_set(error, ERROR_INTERNAL, "libpreplay_stepper.so is not beside libpreplay.so");
}

static int check_program(const struct stepping *stepping, struct error *error)
{
    const char *name = stepping->wish.command[0];
    struct program_kind kind;
    if (!program_inspect(name, &kind))
        return error_set(error, ERROR_USAGE, "%s: cannot be run: %s", name, strerror(ENOENT));
    if (!kind.is_elf)
        return error_set(error, ERROR_USAGE,
                         "%s: is no program file: explore takes the program itself, no script",
                         name);
    if (!kind.is_dynamic || kind.static_runtime)
        return error_set(error, ERROR_USAGE,
                         "%s: its threads cannot be stepped: link it dynamically with preplay cc",
                         name);
    if (!kind.wants_libtsan && !kind.wants_preplay)
        return error_set(error, ERROR_USAGE,
                         "%s: is not instrumented: build it with preplay cc (or gcc "
                         "-fsanitize=thread)",
                         name);
    return 0;
}

/* Every run is to read the same. */
static int keep_input(struct stepping *stepping, struct error *error)
{
    char block[1 << 16];
    ssize_t got;
    snprintf(stepping->input, sizeof stepping->input, "%.4000s/stdin", stepping->wish.directory);
    if (stepping->wish.input_is_kept || stepping->wish.beside)
        return 0;
    int copy = files_create(stepping->input);
    if (copy < 0)
        return error_set(error, ERROR_INPUT, "%s: cannot be made: %s", stepping->input,
                         strerror(errno));
    while (!isatty(STDIN_FILENO) && (got = read(STDIN_FILENO, block, sizeof block)) > 0)
        if (write(copy, block, (size_t)got) != got) {
            close(copy);
            return error_set(error, ERROR_INTERNAL, "%s: cannot write: %s", stepping->input,
                             strerror(errno));
        }
    close(copy);
    return 0;
}

static int make_page(struct stepping *stepping, struct error *error)
{
    stepping->file = memfd_create("preplay-stepper", 0);
    if (stepping->file < 0 || ftruncate(stepping->file, sizeof(struct stepper_page)))
        return error_set(error, ERROR_INTERNAL, "cannot share memory with the program: %s",
                         strerror(errno));
    void *page = mmap(NULL, sizeof(struct stepper_page), PROT_READ | PROT_WRITE, MAP_SHARED,
                      stepping->file, 0);
    if (page == MAP_FAILED)
        return error_set(error, ERROR_INTERNAL, "cannot share memory with the program: %s",
                         strerror(errno));
    stepping->page = page;
    return 0;
}

static int prepare(struct stepping *stepping, struct error *error)
{
    extern char **environ;
    const struct stepping_wish *wish = &stepping->wish;
    if (wish->check)
        stepping->checked = checked_create();
    if (find_library(stepping, error) || (!wish->here && check_program(stepping, error)) ||
        keep_input(stepping, error) || make_page(stepping, error))
        return -1;
    if (wish->here)
        snprintf(stepping->here, sizeof stepping->here, "%s", wish->here);
    else if (!getcwd(stepping->here, sizeof stepping->here))
        return error_set(error, ERROR_INPUT, "the working directory: %s", strerror(errno));
    snprintf(stepping->modules, sizeof stepping->modules, "%.4000s/modules", wish->directory);
    stepping->sandbox = sandbox_create(
        &(struct sandbox_wish){.trace = wish->directory,
                               .recording = wish->directory,
                               .directory = stepping->here,
                               .network_is_known = wish->own_network,
                               .environment = wish->environment ? wish->environment
                                                                : (const char *const *)environ,
                               .in_place = wish->in_place},
        error);
    if (!stepping->sandbox)
        return -1;
    stepping->task = (struct guard_task){.enter = enter,
                                         .become = become,
                                         .context = stepping,
                                         .own_processes = sandbox_own_processes(stepping->sandbox)};
    stepping->copies = copies_create(&(struct copies_wish){.sandbox = stepping->sandbox,
                                                           .task = &stepping->task,
                                                           .patience = wish->patience,
                                                           .longest = wish->longest,
                                                           .anew = wish->anew || wish->check});
    return 0;
}

struct stepping *stepping_create(const struct stepping_wish *wish, struct error *error)
{
    struct stepping *stepping = NEW(struct stepping);
    stepping->wish = *wish;
    stepping->file = -1;
    if (prepare(stepping, error) == 0)
        return stepping;
    stepping_destroy(stepping);
    return NULL;
}

void stepping_destroy(struct stepping *stepping)
{
    if (!stepping)
        return;
    copies_destroy(stepping->copies);
    sandbox_destroy(stepping->sandbox);
    checked_destroy(stepping->checked);
    if (stepping->page)
        munmap(stepping->page, sizeof *stepping->page);
    if (stepping->file >= 0)
        close(stepping->file);
    free(stepping);
}

const char *stepping_note(const struct stepping *stepping)
{
    return sandbox_note(stepping->sandbox);
}

/* --- a run --------------------------------------------------------------------------------------
 */

static void clear_page(struct stepper_page *page, const struct step_turn *turns, size_t count,
                       uint32_t patience)
{
    memset(page, 0, offsetof(struct stepper_page, thread));
    page->magic = STEPPER_MAGIC;
    page->version = STEPPER_VERSION;
    page->patience = patience;
    page->turns = (uint32_t)count;
    if (count)
        memcpy(page->schedule, turns, count * sizeof *turns);
}

static int begin_run(void *context, const struct step_turn *turns, size_t count, const char *output,
                     struct error *error)
{
    struct stepping *stepping = context;
    if (count > STEPPER_TURNS)
        return error_set(error, ERROR_INPUT, "a schedule of %zu turns is too long", count);
    assert(!stepping->output || strcmp(stepping->output, output) == 0);
    clear_page(stepping->page, turns, count, SPIN_PATIENCE);
    stepping->output = output;
    return copies_begin(stepping->copies, error);
}

static int end_run(void *context, struct stepped_run *run, struct error *error)
{
    struct stepping *stepping = context;
    *run = (struct stepped_run){.page = stepping->page};
    copies_end(stepping->copies, stepping->page, run);
    run->unstepped = stepping->page->threads == 0;
    return stepping->checked ? checked_result(stepping->checked, stepping->wish.check, run, error)
                             : 0;
}

static int run_program(void *context, const struct step_turn *turns, size_t count,
                       const char *output, struct stepped_run *run, struct error *error)
{
    return begin_run(context, turns, count, output, error) || end_run(context, run, error) ? -1 : 0;
}

struct explore_backend stepping_backend(struct stepping *stepping)
{
    return (struct explore_backend){
        .run = run_program, .context = stepping, .begin = begin_run, .end = end_run};
}

/* --- under a debugger ---------------------------------------------------------------------------
 */

static const char *variable(const struct stepping *stepping, const char *name)
{
    extern char **environ;
    const char *const *all =
        stepping->wish.environment ? stepping->wish.environment : (const char *const *)environ;
    size_t length = strlen(name);
    for (; *all; all++)
        if (strncmp(*all, name, length) == 0 && (*all)[length] == '=')
            return *all + length + 1;
    return "";
}

static void put_variable(FILE *out, const char *name, const char *first, const char *rest,
                         char between)
{
    fprintf(out, " '%s=", name);
    for (const char *at = first; *at; at++)
        fprintf(out, *at == '\'' ? "'\\''" : "%c", *at);
    for (const char *at = rest; *at; at++) {
        if (at == rest)
            fputc(between, out);
        fprintf(out, *at == '\'' ? "'\\''" : "%c", *at);
    }
    fputc('\'', out);
}

bool stepping_wrapper(const struct stepping *stepping, char *words, size_t size)
{
    char number[16];
    FILE *out = fmemopen(words, size, "w");
    if (!out)
        return false;
    snprintf(number, sizeof number, "%d", stepping->file);
    fputs("env", out);
    put_variable(out, STEPPER_VARIABLE, number, "", ' ');
    put_variable(out, STEPPER_INPUT, stepping->input, "", ' ');
    put_variable(out, "LD_PRELOAD", stepping->library, variable(stepping, "LD_PRELOAD"), ' ');
    put_variable(out, "LD_LIBRARY_PATH", stepping->tsan, variable(stepping, "LD_LIBRARY_PATH"),
                 ':');
    bool fits = fflush(out) == 0 && (size_t)ftell(out) < size;
    fclose(out);
    return fits;
}

int stepping_become(struct stepping *stepping, const struct step_turn *turns, size_t count,
                    uint32_t traps, const char *const *debugger, struct error *error)
{
    extern char **environ;
    if (count > STEPPER_TURNS)
        return error_set(error, ERROR_INPUT, "a schedule of %zu turns is too long", count);
    clear_page(stepping->page, turns, count, SPIN_PATIENCE);
    stepping->page->traps = traps;
    if (sandbox_empty(stepping->sandbox, error) || sandbox_enter(stepping->sandbox, error))
        return -1;
    if (chdir(sandbox_directory(stepping->sandbox)))
        return error_set(error, ERROR_INPUT, "%s: %s", sandbox_directory(stepping->sandbox),
                         strerror(errno));
    if (stepping->wish.environment)
        environ = (char **)stepping->wish.environment;
    execvp(debugger[0], (char *const *)debugger);
    return error_set(error, ERROR_USAGE, "%s: cannot be run: %s", debugger[0], strerror(errno));
}

bool stepping_beside_others(const struct stepping *stepping)
{
    return sandbox_beside_others(stepping->sandbox);
}
