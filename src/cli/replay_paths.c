#include "cli/replay_paths.h"

#include "replay/schedule_writer.h"
#include "replay/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int replay_paths_make(struct replay_paths *paths, const struct history *history,
                      const struct finding *finding, struct error *error)
{
    char real[PATH_MAX], directory[REPLAY_PATH], id[FINDING_ID_SIZE];
    const char *trace_path = history->trace->path;
    finding_id(finding, history->trace, id);
    if (!realpath(trace_path, real))
        return error_set(error, ERROR_INPUT, "%s: %s", trace_path, strerror(errno));
    snprintf(directory, sizeof directory, "%s/replays", real);
    if (mkdir(directory, 0777) && errno != EEXIST)
        return error_set(error, ERROR_INTERNAL, "%s: cannot be made: %s", directory,
                         strerror(errno));
    snprintf(paths->schedule, REPLAY_PATH, "%.4080s/%s.schedule", directory, id);
    snprintf(paths->control, REPLAY_PATH, "%.4080s/%s.control", directory, id);
    snprintf(paths->output, REPLAY_PATH, "%.4080s/%s.output", directory, id);
    snprintf(paths->record, REPLAY_PATH, "%.4080s/%s", directory, id);
    snprintf(paths->story, REPLAY_PATH, "%.4080s/%s.story", directory, id);
    snprintf(paths->script, REPLAY_PATH, "%.4080s/%s.gdb", directory, id);
    snprintf(paths->input, REPLAY_PATH, "%.4080s/stdin", real);
    if (access(paths->input, R_OK))
        snprintf(paths->input, REPLAY_PATH, "/dev/null");
    return 0;
}

int replay_write_schedule(const char *path, const struct history *history,
                          const struct finding *finding, bool fine, struct watch *watch,
                          struct error *error)
{
    FILE *file = fopen(path, "w+e");
    if (!file)
        return error_set(error, ERROR_INTERNAL, "%s: cannot be written: %s", path, strerror(errno));
    int result = schedule_write(file, history, finding, fine, error);
    char line[256];
    rewind(file);
    while (!result && watch && fgets(line, sizeof line, file)) {
        watch->steps += strncmp(line, "step ", 5) == 0 || strncmp(line, "access ", 7) == 0;
        watch->targets += strncmp(line, "target ", 7) == 0;
        watch->others_may_help |= strncmp(line, "target ", 7) == 0 && strstr(line, " semwait");
    }
    if (watch && finding->kind == FINDING_DEADLOCK && finding->event_count == 1)
        watch->others_may_help = true; /* a lost wake-up */
    if (fclose(file) && !result)
        result = error_set(error, ERROR_INTERNAL, "%s: cannot be written", path);
    return result;
}
