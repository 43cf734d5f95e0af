/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds calls to the program's code as Valgrind translates it, a superblock at a time. */
#ifndef PREPLAY_VALGRIND_INSTRUMENT_H
#define PREPLAY_VALGRIND_INSTRUMENT_H

#include "pub_tool_tooliface.h"

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                 const VexGuestExtents *extents, const VexArchInfo *architecture, IRType guest_word,
                 IRType host_word);

#endif
