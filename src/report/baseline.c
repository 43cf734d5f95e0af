/* SPDX-License-Identifier: MIT */
#include "report/baseline.h"

#include "base/intern.h"
#include "base/memory.h"
#include "trace/finding_id.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct baseline {
    struct interner *ids;
    bool by_line; /* version 1: ids of kind and source lines */
};

struct baseline *baseline_read(const char *path, struct error *error)
{
    json_error_t where;
    json_t *root = json_load_file(path, 0, &where);
    const json_t *list = json_object_get(root, "findings");
    if (!json_is_array(list)) {
        if (root)
            error_set(error, ERROR_INPUT, "%s: no list of findings in it", path);
        else
            error_set(error, ERROR_INPUT, "%s:%d: %s", path, where.line, where.text);
        json_decref(root);
        return NULL;
    }
    struct baseline *self = NEW(struct baseline);
    self->ids = interner_create();
    self->by_line = json_integer_value(json_object_get(root, "version")) == 1;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *id = json_string_value(json_object_get(json_array_get(list, i), "id"));
        if (id)
            intern(self->ids, id, strlen(id));
    }
    json_decref(root);
    return self;
}

void baseline_free(struct baseline *self)
{
    if (!self)
        return;
    interner_destroy(self->ids);
    free(self);
}

bool baseline_has(const struct baseline *self, const struct trace *trace,
                  const struct finding *finding)
{
    char id[FINDING_ID_SIZE];
    if (self->by_line)
        finding_line_id(finding, trace, id);
    else
        finding_id(finding, trace, id);
    return intern_find(self->ids, id, strlen(id)) != INTERN_NONE;
}
