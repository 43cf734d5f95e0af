/* SPDX-License-Identifier: MIT */
/* Parts of generated programs: the files of templates/, as strings. */
#ifndef PREPLAY_TIDDLE_TEMPLATES_H
#define PREPLAY_TIDDLE_TEMPLATES_H

extern const char template_blocking[];
extern const char template_blocks[];
extern const char template_branch[];
extern const char template_loose[];
extern const char template_loose_blocking[];
extern const char template_loose_none[];
extern const char template_loose_sleep[];
extern const char template_loose_yield[];
extern const char template_macros[];
extern const char template_steps[];
extern const char template_unseen[];

#endif
