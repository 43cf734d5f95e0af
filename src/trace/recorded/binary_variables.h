/* SPDX-License-Identifier: MIT */
/* The variables of a recorded trace: ids in the order in which they are first accessed,
 * and their names. There may be millions of variables and a report names a few of them,
 * so a name is made when somebody asks for it. */
#ifndef PREPLAY_TRACE_RECORDED_BINARY_VARIABLES_H
#define PREPLAY_TRACE_RECORDED_BINARY_VARIABLES_H

#include "trace/recorded/binary_names.h"
#include "trace/recorded/binary_objects.h"

struct binary_variables;

struct binary_variables *binary_variables_create(const struct binary_names *names,
                                                 const struct objects *objects);
void binary_variables_destroy(struct binary_variables *variables);

/* The id of an object's variable, which is there from now on. */
uint32_t binary_variables_id(struct binary_variables *variables, uint32_t object);
uint32_t binary_variables_count(const struct binary_variables *variables);
/* The same, or OBJECT_NONE if it has none so far. */
uint32_t binary_variables_find(const struct binary_variables *variables, uint32_t object);
/* The object of a variable; OBJECT_NONE if there is no such variable. */
uint32_t binary_variables_object(const struct binary_variables *variables, uint32_t id);

/* A symbol and an offset, or the address; a running number tells variables apart that
 * came to lie at the same place one after the other. */
const char *binary_variables_name(struct binary_variables *variables, uint32_t id);

#endif
