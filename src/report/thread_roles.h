/* SPDX-License-Identifier: MIT */
/* What each thread is there for, beside its number: the function of the program that it began with,
 * "worker". Of a lambda, where the thread was created: "lambda main.cpp:17". */
#ifndef PREPLAY_REPORT_THREAD_ROLES_H
#define PREPLAY_REPORT_THREAD_ROLES_H

#include "trace/history.h"

#include <stddef.h>

struct thread_roles;

enum { THREAD_ROLE_LENGTH = 40 };

struct thread_roles *thread_roles_create(const struct history *history);
void thread_roles_destroy(struct thread_roles *roles);
/* At most THREAD_ROLE_LENGTH bytes; NULL where it is not known, and of text traces. */
const char *thread_roles_of(const struct thread_roles *roles, uint32_t thread);

#endif
