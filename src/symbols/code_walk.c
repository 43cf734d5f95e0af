/* SPDX-License-Identifier: MIT */
#include "symbols/code_walk.h"

#include "symbols/symbols.h"

void code_files_free(struct code_files *self)
{
    for (size_t i = 0; i < self->modules.count; i++) {
        machine_code_close(self->modules.items[i].code);
        map_free(&self->modules.items[i].roles);
        map_free(&self->modules.items[i].idle);
    }
    array_free(&self->modules);
}

/* The file of the code, opened once; NULL if it is not the one that ran. */
static struct code_module *module_of(struct code_files *self, uint64_t pc, uint64_t *offset)
{
    const char *path = symbols_code(self->symbols, pc, offset);
    if (!path)
        return NULL;
    for (size_t i = 0; i < self->modules.count; i++)
        if (self->modules.items[i].path == path)
            return &self->modules.items[i];
    struct code_module module = {.path = path, .code = machine_code_open(path)};
    array_push(&self->modules, module);
    return &array_last(&self->modules);
}

bool code_place_find(struct code_files *self, uint64_t pc, struct code_place *place)
{
    uint64_t offset = 0;
    struct code_module *module = module_of(self, pc - 1, &offset);
    if (!module || !module->code)
        return false;
    *place = (struct code_place){self->symbols, module, machine_code_function(module->code, offset),
                                 pc - 1 - offset};
    return place->function != NULL;
}

/* "path:line" of "path:line:column", or all of what is no such thing. */
static size_t line_length(const char *text)
{
    size_t length = strlen(text), digits = length;
    while (digits && text[digits - 1] >= '0' && text[digits - 1] <= '9')
        digits--;
    if (digits < 2 || digits == length || text[digits - 1] != ':')
        return length;
    size_t line = digits - 1;
    while (line && text[line - 1] >= '0' && text[line - 1] <= '9')
        line--;
    return line && line < digits - 1 && text[line - 1] == ':' ? digits - 1 : length;
}

bool code_is_on(const struct code_place *place, const struct instruction *one, const char *line)
{
    const char *text = symbols_line(place->symbols, one->end + place->bias);
    size_t length = line_length(line);
    return text == line || (length == line_length(text) && memcmp(text, line, length) == 0);
}
