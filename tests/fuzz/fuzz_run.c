/* What an exploration keeps of a run (runs/N.run, runs/N.json, and the modules of the program), as
 * `preplay report` reads it. A report or an error.
 *
 * The input is the three files, the first two behind their lengths (two bytes). pack.py makes one
 * of a real exploration. */
#include "explore/kept_run.h"
#include "explore/run_trace.h"
#include "report/findings_file.h"
#include "report/json.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { RUN, JSON, MODULES, FILES };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *path_of(int which)
{
    static const char *const names[] = {"run", "json", "modules"};
    static char paths[FILES][64];
    if (!*paths[which])
        snprintf(paths[which], sizeof paths[which], "/dev/shm/preplay-fuzz-run-%d.%s",
                 (int)getpid(), names[which]);
    return paths[which];
}

static void write_file(int which, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path_of(which), "w");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file))
        abort();
}

static void write_files(const uint8_t *data, size_t size)
{
    for (int which = 0; which < MODULES; which++) {
        size_t length = size >= 2 ? (size_t)(data[0] | data[1] << 8) : 0;
        data += size >= 2 ? 2 : 0;
        size -= size >= 2 ? 2 : 0;
        length = length < size ? length : size;
        write_file(which, data, length);
        data += length;
        size -= length;
    }
    write_file(MODULES, data, size);
}

static void write_report(const struct run_trace *trace, struct findings *found)
{
    FILE *nowhere = fopen("/dev/null", "w");
    struct report report;
    struct report_engine engine = {.name = "explore", .findings = found};
    report_create(&report, trace->trace, trace->history, "exploration", &engine, 1, true);
    report.explored = 1;
    report.tool = "preplay";
    if (!nowhere)
        abort();
    report_json(nowhere, &report);
    report_free(&report);
    fclose(nowhere);
}

static void read_run(struct kept_run *run)
{
    struct error error = {0};
    struct run_trace trace;
    struct symbols *symbols = symbols_open(path_of(MODULES));
    struct findings *found = findings_create(false);
    run_trace_create(&trace, run, symbols, "exploration");
    found->trace = trace.trace;
    if (findings_file_read(found, trace.history, path_of(JSON), &error) == 0) {
        for (size_t i = 0; i < found->count; i++)
            found->items[i].engine = "explore";
        write_report(&trace, found);
    } else if (error.code != ERROR_INPUT && error.code != ERROR_USAGE)
        abort();
    findings_destroy(found);
    run_trace_free(&trace);
    symbols_close(symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct kept_run run;
    write_files(data, size);
    if (kept_run_read(&run, path_of(RUN), &error) == 0) {
        read_run(&run);
        kept_run_free(&run);
    } else if (error.code != ERROR_INPUT)
        abort();
    for (int which = 0; which < FILES; which++)
        unlink(path_of(which));
    return 0;
}
