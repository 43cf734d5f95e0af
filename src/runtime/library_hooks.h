/* SPDX-License-Identifier: MIT */
/* Finds calls into libraries that synchronise by instructions of their own (library_calls.h), and
 * gets in front of them.
 *
 * Which libraries: those whose code holds a locked compare-and-exchange or addition, that are not
 * instrumented, and whose synchronisation is not told by interposers (library.h). Which calls:
 * those of instrumented code, through the slots that the linker made for functions of other
 * modules. A slot gets the address of a few instructions of ours, which note the call and go on to
 * the function; the function's own address, where the program uses it, stays what it is. x86-64
 * only. */
#ifndef PREPLAY_RUNTIME_LIBRARY_HOOKS_H
#define PREPLAY_RUNTIME_LIBRARY_HOOKS_H

/* Something instrumented was loaded: looks for it. Called often. */
void library_hooks_watch(void);

#endif
