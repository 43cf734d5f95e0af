/* SPDX-License-Identifier: MIT */
/* What reports in JSON forms share. */
#ifndef PREPLAY_REPORT_WORDS_H
#define PREPLAY_REPORT_WORDS_H

#include "report/held.h"
#include "report/report.h"

#include <jansson.h>

/* Text from a target as a JSON string: any bytes become valid UTF-8. */
json_t *words_json(const char *text);
/* The same of printf's result. */
json_t *words_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* An object's name as the source has it, of any length. */
json_t *words_name(const struct trace *trace, enum object_class class, uint32_t object);

/* One line: "data race on x: writes in f, reads in g". malloc-ed. */
char *words_title(const struct report *report, const struct finding *finding);
/* An object's name, demangled, malloc-ed. */
char *words_object(const struct trace *trace, enum object_class class, uint32_t object);

#endif
