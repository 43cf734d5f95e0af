/* SPDX-License-Identifier: MIT */
#include "report/xml.h"

#include "report/words.h"

void xml_text(FILE *out, const char *text)
{
    json_t *valid = words_json(text); /* UTF-8, whatever the target wrote */
    for (const char *at = json_is_string(valid) ? json_string_value(valid) : ""; *at; at++)
        switch (*at) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            putc((unsigned char)*at < ' ' && *at != '\n' && *at != '\t' ? '?' : *at, out);
        }
    json_decref(valid);
}
