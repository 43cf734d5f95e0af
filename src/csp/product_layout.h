/* SPDX-License-Identifier: MIT */
/* How a state of the product is laid out in words (product.h), for those who lay it out and those
 * who take steps in it. */
#ifndef PREPLAY_CSP_PRODUCT_LAYOUT_H
#define PREPLAY_CSP_PRODUCT_LAYOUT_H

#include "csp/product.h"

/* Words of a waiter at a condition; a waiting one also says how many of the
 * pending signals came before it, which it may therefore not take. */
enum { NOT_WAITING, WOKEN, WAITING };

/* The locks that a process has before its step `index`: they are held from here on, or not. */
void product_hold(struct product *product, uint32_t process, uint32_t index, bool held);

#endif
