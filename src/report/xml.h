/* SPDX-License-Identifier: MIT */
/* Text of a stranger's inside XML. */
#ifndef PREPLAY_REPORT_XML_H
#define PREPLAY_REPORT_XML_H

#include <stdio.h>

/* As an attribute or as content. XML knows no control characters at all, escaped or not. */
void xml_text(FILE *out, const char *text);

#endif
