/* SPDX-License-Identifier: MIT */
#include "report/html_plain.h"

#include "report/full_text.h"
#include "report/xml.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { SHORTEST = 8 }; /* of an id: no word of a title looks like one */

/* The word of a finding's first line that is its id, and its length; NULL if there is none. */
static const char *id_in(const char *line, int *length)
{
    for (const char *at = line; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        *length = (int)strcspn(at, " ");
        if (*length >= SHORTEST && isalpha((unsigned char)*at) && at[1] == '-' &&
            strspn(at + 2, "0123456789abcdef") == (size_t)*length - 2)
            return at;
    }
    return NULL;
}

void html_plain(FILE *out, const struct report *report)
{
    char *text, *rest = NULL;
    size_t length;
    bool begins = false; /* the line before was a finding's rule */
    FILE *plain = open_memstream(&text, &length);
    report_text(plain, report, (struct text_style){.width = 100});
    fclose(plain);
    fputs("<noscript><pre>", out);
    for (char *line = text; line && *line; line = rest) {
        rest = strchr(line, '\n');
        if (rest)
            *rest++ = '\0';
        int size = 0;
        const char *id = begins ? id_in(line, &size) : NULL;
        if (id)
            fprintf(out, "<a id=\"%.*s\"></a>", size, id);
        xml_text(out, line);
        putc('\n', out);
        begins = strncmp(line, "=====", 5) == 0;
    }
    fputs("</pre></noscript>\n", out);
    free(text);
}
