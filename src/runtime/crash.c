/* SPDX-License-Identifier: MIT */
#include "runtime/crash.h"

#include "runtime/enforce_steps.h"
#include "runtime/host.h"
#include "runtime/system.h"
#include "runtime/text.h"

#include <linux/futex.h>
#include <signal.h>
#include <ucontext.h>

/* How long the thread waits for the tool, in glances: it may have been killed. */
enum { PATIENCE = 250 };

/* The C library's own: what the program installs is looked at (signals.c). */
extern int __sigaction(int, const struct sigaction *, struct sigaction *);

static void tell(struct control_crash *crash, int signal, const siginfo_t *info,
                 const ucontext_t *context)
{
    const struct recorder *self = recorder_current;
    const struct schedule_thread *thread = self ? enforce_thread_of(self) : NULL;
    crash->signal = signal;
    crash->kernel_thread = system_thread();
    crash->address = (uintptr_t)info->si_addr;
    crash->pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
    text_append(crash->thread, 0, sizeof crash->thread, thread ? thread->name : "");
    atomic_store(&crash->state, 1);
    for (int i = 0; i < PATIENCE && atomic_load(&crash->state) == 1; i++)
        system_call(SYS_futex, (long)&crash->state, FUTEX_WAIT, 1, (long)&turns_schedule.glance, 0,
                    0);
}

static void on_crash(int signal, siginfo_t *info, void *context)
{
    static _Atomic bool told;
    struct sigaction usual = {.sa_handler = SIG_DFL};
    if (turns_control->process == system_process() && !atomic_exchange(&told, true))
        tell(&turns_control->crash, signal, info, context);
    __sigaction(signal, &usual, NULL);
    /* What the processor raised comes again with the instruction; what was sent does not. */
    if (info->si_code <= 0)
        system_call(SYS_tgkill, system_process(), system_thread(), signal, 0, 0, 0);
}

void crash_watch(void)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    for (size_t i = 0; !HOST_SEES_CODE && i < sizeof deadly / sizeof *deadly; i++) {
        struct sigaction before;
        if (__sigaction(deadly[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            __sigaction(deadly[i], &action, NULL);
    }
}
