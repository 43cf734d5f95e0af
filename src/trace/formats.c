#include "trace/formats.h"

static const struct trace_opener std_opener = {false, ".std", std_open};

const struct trace_opener *const trace_formats[] = {&std_opener, NULL};
