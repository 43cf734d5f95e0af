/* SPDX-License-Identifier: MIT */
#include "trace/recorded/binary_variables.h"

#include "base/array.h"
#include "base/map.h"

#include <inttypes.h>
#include <stdio.h>

struct binary_variables {
    const struct binary_names *names;
    const struct objects *objects;
    uint32_t *ids; /* by object: id plus one; room for those that never get one costs nothing */
    struct variable_objects ARRAY_OF(uint32_t) objects_of; /* by id */
    /* Filled as names are asked for. */
    struct ranks ARRAY_OF(uint32_t) ranks; /* by id: how many before it are called the same */
    struct map uses;                       /* address or global's name -> variables so far */
    struct interner *globals, *texts;
};

/* Keys of `uses`: an address, or one of `globals`. */
#define GLOBAL (UINT64_C(1) << 62)

struct binary_variables *binary_variables_create(const struct binary_names *names,
                                                 const struct objects *objects)
{
    struct binary_variables *self = NEW(struct binary_variables);
    self->names = names;
    self->objects = objects;
    self->ids = NEW_ARRAY(uint32_t, (size_t)objects_count(objects) + 1);
    self->globals = interner_create();
    self->texts = interner_create();
    return self;
}

void binary_variables_destroy(struct binary_variables *self)
{
    if (!self)
        return;
    free(self->ids);
    array_free(&self->objects_of);
    array_free(&self->ranks);
    map_free(&self->uses);
    interner_destroy(self->globals);
    interner_destroy(self->texts);
    free(self);
}

uint32_t binary_variables_id(struct binary_variables *self, uint32_t object)
{
    uint32_t *id = &self->ids[object];
    if (!*id) {
        array_push(&self->objects_of, object);
        *id = (uint32_t)self->objects_of.count;
    }
    return *id - 1;
}

uint32_t binary_variables_find(const struct binary_variables *self, uint32_t object)
{
    return self->ids[object] - 1;
}

uint32_t binary_variables_count(const struct binary_variables *self)
{
    return (uint32_t)self->objects_of.count;
}

uint32_t binary_variables_object(const struct binary_variables *self, uint32_t id)
{
    return id < self->objects_of.count ? self->objects_of.items[id] : OBJECT_NONE;
}

static uint64_t address_of(const struct binary_variables *self, uint32_t id)
{
    return objects_address(self->objects, self->objects_of.items[id]);
}

/* Two globals may have one name: it is the name that is counted, not the address. */
static uint64_t key_of(struct binary_variables *self, uint64_t address)
{
    char text[BINARY_NAME_LENGTH];
    if (!binary_names_is_global(self->names, address))
        return address;
    int length = binary_names_describe(self->names, address, text);
    return GLOBAL | intern(self->globals, text, (size_t)length);
}

/* Ranks count from the first variable on, whichever is asked for. */
static void rank_up_to(struct binary_variables *self, uint32_t id)
{
    while (self->ranks.count <= id) {
        uint64_t key = key_of(self, address_of(self, (uint32_t)self->ranks.count));
        array_push(&self->ranks, (uint32_t)(*map_at(&self->uses, key, NULL))++);
    }
}

const char *binary_variables_name(struct binary_variables *self, uint32_t id)
{
    char text[BINARY_NAME_LENGTH + 16];
    rank_up_to(self, id);
    uint64_t bytes = objects_length(self->objects, self->objects_of.items[id]);
    int length = binary_names_show(self->names, address_of(self, id), bytes, text);
    if (self->ranks.items[id])
        length += snprintf(text + length, sizeof text - (size_t)length, "#%" PRIu32,
                           self->ranks.items[id] + 1);
    return intern_text(self->texts, intern(self->texts, text, (size_t)length));
}
