/* SPDX-License-Identifier: MIT */
/* Which preplay this is. */
#ifndef PREPLAY_CLI_VERSION_H
#define PREPLAY_CLI_VERSION_H

/* "0.1.0 (commit 1a2b3c4)", with a + behind a commit that was changed; "0.1.0" if it was built
 * outside of its repository. */
const char *version_text(void);

#endif
