/* SPDX-License-Identifier: MIT */
#include "report/thread_text.h"

#include "report/thread_roles.h"

#include <stdio.h>
#include <string.h>

int thread_text(char *text, size_t size, const struct report *report, uint32_t thread)
{
    const char *name = trace_name(report->trace, CLASS_THREAD, thread);
    bool is_main = thread == 0 && strcmp(name, "T0") == 0;
    /* Explored runs know no callers, and the outermost function is not the first. */
    const struct thread_roles *roles = report->explored ? NULL : report->roles;
    const char *role = is_main ? "main" : thread_roles_of(roles, thread);
    return role ? snprintf(text, size, "%s (%s)", name, role) : snprintf(text, size, "%s", name);
}
