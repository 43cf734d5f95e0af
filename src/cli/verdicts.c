#include "cli/verdicts.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static bool is(const json_t *finding, enum verdict verdict)
{
    const char *text = json_string_value(json_object_get(finding, "verdict"));
    return text && strcmp(text, verdict_text(verdict)) == 0;
}

static bool settle(json_t *findings, const struct finding *finding, const char *id)
{
    bool changed = false;
    size_t i;
    json_t *each;
    json_array_foreach(findings, i, each)
    {
        const char *its = json_string_value(json_object_get(each, "id"));
        if (!its || strcmp(its, id) != 0 ||
            (is(each, VERDICT_CONFIRMED) && finding->verdict != VERDICT_CONFIRMED))
            continue;
        if (!is(each, VERDICT_OBSERVED))
            json_object_set_new(each, "verdict", json_string(verdict_text(finding->verdict)));
        if (finding->replay)
            json_object_set_new(each, "replay", json_string_nocheck(finding->replay));
        changed = true;
    }
    return changed;
}

/* Beside it first: a reader never finds half a file. */
static int write_file(const json_t *root, const char *path, struct error *error)
{
    char beside[PATH_MAX + 40];
    snprintf(beside, sizeof beside, "%s.new", path);
    if (json_dump_file(root, beside, JSON_REAL_PRECISION(6)) || rename(beside, path))
        return error_set(error, ERROR_INTERNAL, "%s: cannot be written: %s", path, strerror(errno));
    return 0;
}

int verdicts_keep(const char *trace_path, const struct finding *finding, const char *id,
                  struct error *error)
{
    char path[PATH_MAX + 32];
    json_error_t where;
    snprintf(path, sizeof path, "%s/findings.json", trace_path);
    json_t *root = json_load_file(path, 0, &where);
    if (!root)
        return error_set(error, ERROR_INPUT, "%s:%d: %s", path, where.line, where.text);
    int result =
        settle(json_object_get(root, "findings"), finding, id) ? write_file(root, path, error) : 0;
    json_decref(root);
    return result;
}
