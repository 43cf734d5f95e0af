/* Reports of any JSON, as `preplay merge` takes them: an error, or the findings of all as one. The
 * input is one report; it is merged with itself. */
#include "report/merge.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void tell(const struct merge *merge)
{
    FILE *nowhere = fopen("/dev/null", "w");
    json_t *whole = merge_json(merge, true);
    if (!nowhere || !whole)
        abort();
    merge_text(nowhere, merge, MERGE_ALL);
    merge_junit(nowhere, merge);
    json_decref(whole);
    fclose(nowhere);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    json_t *report = json_loadb((const char *)data, size, 0, NULL);
    struct merge *merge = merge_create();
    if (report && merge_add(merge, "first", report, &error) == 0) {
        if (merge_add(merge, "second", report, &error))
            abort(); /* it was good a moment ago */
    } else if (report && error.code != ERROR_INPUT) {
        abort();
    }
    tell(merge);
    merge_destroy(merge);
    json_decref(report);
    return 0;
}
