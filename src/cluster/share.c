/* SPDX-License-Identifier: MIT */
/* What a rank did and took. Memory is told twice: its pages (VmHWM), and its pages where one that n
 * processes share counts as 1/n (PSS), the peak of those at the moments that were looked at. */
#include "cluster/cluster_state.h"

#include <inttypes.h>
#include <sys/resource.h>

/* The number behind `name` in a file of /proc/self, or 0. */
static uint64_t number_in(const char *path, const char *name)
{
    char line[256];
    uint64_t number = 0;
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            number = strtoull(line + strlen(name), NULL, 10);
    if (file)
        fclose(file);
    return number;
}

void share_measure(struct share *share)
{
    struct rusage usage;
    uint64_t shared = number_in("/proc/self/smaps_rollup", "Pss:");
    getrusage(RUSAGE_SELF, &usage);
    share->peak = (uint64_t)usage.ru_maxrss;
    share->peak_shared = shared > share->peak_shared ? shared : share->peak_shared;
    share->bytes_read = number_in("/proc/self/io", "rchar:");
    share->processor = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6 +
                       (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec * 1e-6;
}

void share_tell(const struct cluster *self, FILE *out)
{
    for (uint32_t i = 0; i < self->deal.ranks; i++) {
        const struct share *share = &self->shares[i];
        fprintf(out,
                "preplay: rank %" PRIu32 " (%s): %" PRIu64 " questions, %.2f processor seconds, "
                "%" PRIu64 " KiB read, peak %" PRIu64 " KiB, %" PRIu64
                " KiB with shared pages in part\n",
                i, self->place.hosts[i], share->questions, share->processor,
                share->bytes_read / 1024, share->peak, share->peak_shared);
    }
}
