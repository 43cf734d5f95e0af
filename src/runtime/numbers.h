/* SPDX-License-Identifier: MIT */
/* The numbers of descriptors. The kernel gives a number again only once it was closed, so who got
 * it comes after who closed it: servers that keep what they know of a connection by its number rely
 * on that.
 *
 * It is an order of this run only. In another one a call may come earlier and get another number,
 * so that nothing but what is found by the number is ordered: a loose edge (encoding.h). */
#ifndef PREPLAY_RUNTIME_NUMBERS_H
#define PREPLAY_RUNTIME_NUMBERS_H

#include <stdint.h>

/* After a call returned `number`, or failed. Keeps errno. */
void number_given(int number, uintptr_t pc);
/* Before a call that closes `number`. */
void number_goes(int number, uintptr_t pc);

#endif
