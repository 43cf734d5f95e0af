/* SPDX-License-Identifier: MIT */
/* Looking up what the program would have called without us, without asking the dynamic linker:
 * dlsym() and dlopen() may allocate (with an allocator of the program's that calls us), and they
 * take the text away that the program has yet to ask dlerror() for. */
#ifndef PREPLAY_RUNTIME_SYMBOLS_H
#define PREPLAY_RUNTIME_SYMBOLS_H

/* The next definition of `name` behind ours, in the order in which objects were loaded, or one
 * before ours if there is none behind (we may have been loaded by dlopen(), long after the C
 * library). NULL if nobody defines it. Neither allocates nor touches errno or dlerror(). */
void *symbols_next(const char *name);

#endif
