/* SPDX-License-Identifier: MIT */
/* preplay compare: the engines side by side, a row a finding, and on small traces the
 * exhaustive truth beside them. */
#include "cli/command.h"
#include "cli/trace_argument.h"
#include "cli/comparison.h"

#include <string.h>

static int show(const struct comparison *comparison, const struct options *options,
                struct error *error)
{
    bool to_standard_output = options->json_file && strcmp(options->json_file, "-") == 0;
    if (!to_standard_output)
        comparison_print(comparison);
    if (options->json_file && comparison_write_json(comparison, options->json_file, error))
        return -1;
    for (size_t i = 0; i < comparison->prediction->driver.count; i++)
        if (comparison->prediction->driver.runs[i].findings->count)
            return (int)options->exit_code;
    return 0;
}

int cmd_compare(struct options *options, struct error *error)
{
    if (trace_argument(options, error))
        return -1;
    struct prediction prediction;
    int code = prediction_run(&prediction, options, options->arguments[0], NULL, error);
    if (code == 0) {
        struct comparison comparison;
        code = comparison_create(&comparison, &prediction, options->arguments[0], error);
        if (code == 0)
            code = show(&comparison, options, error);
        comparison_free(&comparison);
    }
    prediction_free(&prediction);
    return code;
}
