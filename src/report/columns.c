/* SPDX-License-Identifier: MIT */
#include "report/columns.h"

#include <locale.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>

struct glyph {
    char bytes[8];
    size_t length; /* of the source text */
    size_t cells;
};

/* The next character, printable: control characters and what is not UTF-8 become
 * escapes, so that a name cannot send commands to the terminal. */
static bool next_glyph(const char **text, struct glyph *glyph, locale_t locale)
{
    if (!**text)
        return false;
    mbstate_t state = {0};
    wchar_t character;
    locale_t old = uselocale(locale);
    size_t length = mbrtowc(&character, *text, strlen(*text), &state);
    int cells = length && length <= 4 ? wcwidth(character) : -1;
    uselocale(old);
    if (cells < 0 || length > 4) {
        glyph->length = 1;
        glyph->cells = 4;
        snprintf(glyph->bytes, sizeof glyph->bytes, "\\x%02x", (unsigned char)**text);
    } else {
        glyph->length = length;
        glyph->cells = (size_t)cells;
        memcpy(glyph->bytes, *text, length);
        glyph->bytes[length] = '\0';
    }
    *text += glyph->length;
    return true;
}

static locale_t utf8(void)
{
    return newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

static bool is_plain(const char *text)
{
    for (; *text; text++)
        if (*text < 0x20 || *text > 0x7e)
            return false;
    return true;
}

size_t columns_width(const char *text)
{
    if (is_plain(text))
        return strlen(text);
    locale_t locale = utf8();
    struct glyph glyph;
    size_t width = 0;
    while (next_glyph(&text, &glyph, locale))
        width += glyph.cells;
    freelocale(locale);
    return width;
}

/* Characters as long as they fit; returns the cells they took. */
static size_t print_upto(FILE *out, const char *text, size_t width)
{
    locale_t locale = utf8();
    struct glyph glyph;
    size_t used = 0;
    while (next_glyph(&text, &glyph, locale) && used + glyph.cells <= width) {
        fputs(glyph.bytes, out);
        used += glyph.cells;
    }
    freelocale(locale);
    return used;
}

void columns_print(FILE *out, const char *text, size_t width)
{
    size_t used = columns_width(text);
    if (used > width) {
        size_t dots = width < 3 ? width : 3;
        used = print_upto(out, text, width - dots) + dots;
        fprintf(out, "%.*s", (int)dots, "...");
    } else {
        columns_text(out, text);
    }
    fprintf(out, "%*s", (int)(width - used), "");
}

void columns_text(FILE *out, const char *text)
{
    if (is_plain(text))
        fputs(text, out);
    else
        print_upto(out, text, (size_t)-1);
}

void columns_tail(FILE *out, const char *text, size_t width)
{
    if (columns_width(text) <= width || width < 4) {
        columns_text(out, text);
        return;
    }
    while (columns_width(text) > width - 3)
        do
            text++;
        while ((*text & 0xc0) == 0x80);
    fputs("...", out);
    columns_text(out, text);
}

void columns_around(FILE *out, const char *text, size_t width, size_t at)
{
    enum { DOTS = 3 };
    size_t all = columns_width(text);
    if (all > width && width > 2 * DOTS && at > width - width / 4 && at < strlen(text)) {
        const char *begin = text + at - width / 3;
        while ((*begin & 0xc0) == 0x80)
            begin--;
        fputs("...", out);
        text = begin;
        all = columns_width(text);
        width -= DOTS;
    }
    columns_print(out, text, all < width ? all : width);
}
