/* SPDX-License-Identifier: MIT */
#include "replay/verdicts.h"

#include "base/files.h"
#include "report/json.h"
#include "trace/finding_id.h"

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

/* What was to be an error of another kind. */
static void become_failure(json_t *each, const struct finding *finding, const struct trace *trace)
{
    char id[FINDING_ID_SIZE];
    finding_id(finding, trace, id);
    json_object_set_new(each, "id", json_string(id));
    json_object_set_new(each, "kind", json_string(finding_kind_text(finding->kind)));
    json_object_set_new(each, "from", json_string(finding_kind_text(finding->from)));
    json_object_set_new(each, "rule", json_string(finding->rule));
}

static bool settle(json_t *findings, const struct finding *finding, const char *id,
                   const struct trace *trace)
{
    bool changed = false;
    size_t i;
    json_t *each;
    json_array_foreach(findings, i, each)
    {
        const char *its = json_string_value(json_object_get(each, "id"));
        if (!its || strcmp(its, id) != 0 ||
            (is(each, VERDICT_CONFIRMED) && finding->verdict != VERDICT_CONFIRMED) ||
            (is(each, VERDICT_SEEN_ONCE) && !finding_happened(finding)))
            continue;
        if (!is(each, VERDICT_OBSERVED))
            json_object_set_new(each, "verdict", json_string(verdict_text(finding->verdict)));
        if (finding->replay)
            json_object_set_new(each, "replay", json_string_nocheck(finding->replay));
        if (finding->consequence.count)
            json_object_set_new(each, "consequence",
                                report_consequence_json(&finding->consequence));
        if (finding->kind == FINDING_FAILURE && !json_object_get(each, "from"))
            become_failure(each, finding, trace);
        changed = true;
    }
    return changed;
}

static int write_file(const json_t *root, const char *path, struct error *error)
{
    struct new_file file;
    if (files_begin(&file, path, error))
        return -1;
    json_dumpf(root, file.stream, JSON_REAL_PRECISION(6));
    return files_commit(&file, error);
}

int verdicts_keep(const char *trace_path, const struct finding *finding, const char *id,
                  const struct trace *trace, struct error *error)
{
    char path[PATH_MAX + 32];
    json_error_t where;
    snprintf(path, sizeof path, "%s/findings.json", trace_path);
    FILE *file = files_read(path);
    if (!file)
        return error_set(error, ERROR_INPUT, "%s: %s", path, files_reason(errno));
    json_t *root = json_loadf(file, 0, &where);
    fclose(file);
    if (!root)
        return error_set(error, ERROR_INPUT, "%s:%d: %s", path, where.line, where.text);
    int result = settle(json_object_get(root, "findings"), finding, id, trace)
                     ? write_file(root, path, error)
                     : 0;
    json_decref(root);
    return result;
}
