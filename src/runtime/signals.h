/* SPDX-License-Identifier: MIT */
/* Signals order who sends one and whoever gets it: in a handler, from sigwait(), or through a
 * signalfd. A signal to one thread is that thread's alone; a timer's comes after its setting.
 *
 * Handlers run behind one of ours, which notes that. The program finds its own, whenever it asks.
 */
#ifndef PREPLAY_RUNTIME_SIGNALS_H
#define PREPLAY_RUNTIME_SIGNALS_H

#include "runtime/recorder.h"

/* Before a signal is sent to this process, or may come by itself from now on. */
void signal_sent(int number, uintptr_t pc);
/* Once the calling thread got it. */
void signal_received(int number, uintptr_t pc);

/* A jump to this stack pointer leaves the handler that the thread runs, perhaps. */
void signals_leave(struct recorder *self, uintptr_t pointer);

#endif
