/* SPDX-License-Identifier: MIT */
#include "runtime/library_hooks.h"

#include "runtime/edges.h"
#include "runtime/host.h"
#include "runtime/library_calls.h"
#include "runtime/library_code.h"
#include "runtime/system.h"

enum { WATCHED = 64, STUB = 16, PAGE = 4096 };

/* What a stub points to: its first two words are known to library_hooks_enter. */
struct hook {
    void (*enter)(void);
    uintptr_t function;
    uintptr_t *slot;
    uint64_t library;
};

void library_hooks_enter(void);
void library_hooks_called(const struct hook *hook, uintptr_t pc);

/* Every register that may carry an argument is kept; r11 carries none. */
__asm__(".text\n"
        ".hidden library_hooks_enter\n"
        ".globl library_hooks_enter\n"
        ".type library_hooks_enter, @function\n"
        "library_hooks_enter:\n"
        "    .cfi_startproc\n"
        "    push %rdi\n    push %rsi\n    push %rdx\n    push %rcx\n    push %r8\n"
        "    push %r9\n    push %rax\n    push %r10\n    push %r11\n"
        "    .cfi_adjust_cfa_offset 72\n"
        "    sub $128, %rsp\n"
        "    .cfi_adjust_cfa_offset 128\n"
        "    movups %xmm0, (%rsp)\n    movups %xmm1, 16(%rsp)\n"
        "    movups %xmm2, 32(%rsp)\n    movups %xmm3, 48(%rsp)\n"
        "    movups %xmm4, 64(%rsp)\n    movups %xmm5, 80(%rsp)\n"
        "    movups %xmm6, 96(%rsp)\n    movups %xmm7, 112(%rsp)\n"
        "    mov %r11, %rdi\n"
        "    mov 200(%rsp), %rsi\n"
        "    call library_hooks_called\n"
        "    movups (%rsp), %xmm0\n    movups 16(%rsp), %xmm1\n"
        "    movups 32(%rsp), %xmm2\n    movups 48(%rsp), %xmm3\n"
        "    movups 64(%rsp), %xmm4\n    movups 80(%rsp), %xmm5\n"
        "    movups 96(%rsp), %xmm6\n    movups 112(%rsp), %xmm7\n"
        "    add $128, %rsp\n"
        "    .cfi_adjust_cfa_offset -128\n"
        "    pop %r11\n    pop %r10\n    pop %rax\n    pop %r9\n    pop %r8\n"
        "    pop %rcx\n    pop %rdx\n    pop %rsi\n    pop %rdi\n"
        "    .cfi_adjust_cfa_offset -72\n"
        "    jmp *8(%r11)\n"
        "    .cfi_endproc\n"
        ".size library_hooks_enter, . - library_hooks_enter\n");

__attribute__((used)) void library_hooks_called(const struct hook *hook, uintptr_t pc)
{
    struct recorder *self = recorder_self();
    if (self && !self->busy && !self->ignore_sync)
        library_calls_enter(self, hook->library, pc);
}

/* mov $hook, %r11; jmp *(%r11) */
static void write_stub(uint8_t *at, const struct hook *hook)
{
    uintptr_t address = (uintptr_t)hook;
    at[0] = 0x49, at[1] = 0xbb;
    __builtin_memcpy(at + 2, &address, sizeof address);
    at[10] = 0x41, at[11] = 0xff, at[12] = 0x23;
}

static long protect(uintptr_t start, size_t size, int rights)
{
    uintptr_t low = start & ~(uintptr_t)(PAGE - 1);
    return system_call(SYS_mprotect, (long)low, (long)(start + size - low), rights, 0, 0, 0);
}

/* Slots that the loader has filled for good are not to be written to any more. */
static void set_slot(const struct library_code *module, uintptr_t *slot, uintptr_t value)
{
    uintptr_t at = (uintptr_t)slot;
    bool closed = at >= module->closed_low && at < module->closed_high;
    if (closed && protect(at, sizeof *slot, PROT_READ | PROT_WRITE) < 0)
        return;
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
    if (closed)
        protect(at, sizeof *slot, PROT_READ);
}

struct hooking {
    const struct library_code *module;
    struct hook *hooks; /* NULL: only count */
    size_t count;
};

static void hook_slot(void *context, uintptr_t *slot, uintptr_t function)
{
    struct hooking *self = context;
    uint64_t library = library_code_edge(function);
    if (!library)
        return;
    if (self->hooks)
        self->hooks[self->count] = (struct hook){library_hooks_enter, function, slot, library};
    self->count++;
}

/* First to be counted, then to be noted: the memory for them is taken at one go and stays. */
static void hook_module(const struct library_code *module)
{
    struct hooking counting = {.module = module};
    library_code_slots(module, hook_slot, &counting);
    if (!counting.count)
        return;
    size_t stubs_size = (counting.count * STUB + PAGE - 1) & ~(size_t)(PAGE - 1);
    uint8_t *stubs = system_map(-1, 0, stubs_size);
    struct hooking hooking = {.module = module,
                              .hooks = system_map(-1, 0, counting.count * sizeof(struct hook))};
    if (!stubs || !hooking.hooks)
        return;
    library_code_slots(module, hook_slot, &hooking);
    for (size_t i = 0; i < hooking.count; i++)
        write_stub(stubs + i * STUB, &hooking.hooks[i]);
    if (protect((uintptr_t)stubs, stubs_size, PROT_READ | PROT_EXEC) < 0)
        return; /* nothing new may be run here */
    for (size_t i = 0; i < hooking.count; i++)
        set_slot(module, hooking.hooks[i].slot, (uintptr_t)(stubs + i * STUB));
}

static struct {
    struct library_code items[WATCHED];
    uint32_t count;
    uint64_t loads; /* of modules, when they were last looked for */
} watched;

static bool is_new(const struct library_code *module)
{
    for (uint32_t i = 0; i < watched.count; i++)
        if (watched.items[i].low == module->low)
            return false;
    return module->instrumented;
}

/* Constructors run one at a time: the loader sees to that. */
void library_hooks_watch(void)
{
    if (HOST_SEES_CODE || !process_recording() || library_code_loads() == watched.loads)
        return;
    watched.loads = library_code_loads();
    library_calls_start(library_code_edge);
    while (watched.count < WATCHED) {
        struct library_code *module = &watched.items[watched.count];
        if (!library_code_first(is_new, module))
            break;
        watched.count++;
        library_calls_own(module->low, module->high);
        hook_module(module);
    }
}
