/* SPDX-License-Identifier: MIT */
#include "cli/version.h"

#include "cli/commit.h"

const char *version_text(void)
{
    static const char commit[] = PREPLAY_COMMIT;
    return sizeof commit > 1 ? PREPLAY_VERSION " (commit " PREPLAY_COMMIT ")" : PREPLAY_VERSION;
}
