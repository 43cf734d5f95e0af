/* SPDX-License-Identifier: MIT */
/* Every format that trace_open() knows. The list lies above the formats, so that
 * trace/ needs not know tiddle/, which is built on it. */
#include "tiddle/reader.h"
#include "trace/formats.h"

static const struct trace_opener std_opener = {false, ".std", std_open};
static const struct trace_opener binary_opener = {true, "", binary_open};

const struct trace_opener *const trace_formats[] = {&std_opener, &tiddle_opener, &binary_opener,
                                                    NULL};
