/* SPDX-License-Identifier: MIT */
#include "report/text_style.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct text_style text_style_of(FILE *out)
{
    struct text_style style = {.width = 80};
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (!isatty(fileno(out)))
        return style;
    struct winsize size;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        style.width = size.ws_col;
    style.colour = !(no_colour && *no_colour) && terminal && strcmp(terminal, "dumb") != 0;
    return style;
}

const char *text_bold(struct text_style style)
{
    return style.colour ? "\033[1m" : "";
}

const char *text_red(struct text_style style)
{
    return style.colour ? "\033[1;31m" : "";
}

const char *text_dim(struct text_style style)
{
    return style.colour ? "\033[2m" : "";
}

const char *text_normal(struct text_style style)
{
    return style.colour ? "\033[0m" : "";
}
