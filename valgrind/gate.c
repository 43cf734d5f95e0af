/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a schedule holds a memory access back. Translated code cannot sleep, so before
 * an access that may be scheduled it jumps here, into the target, as if the program
 * itself had called: here the enforcer does what it does in compiled programs, and the
 * instruction is begun again. Its registers are as they were: only whole instructions
 * that have changed nothing yet come here (instrument.c). */
#include "runtime/enforce.h"
#include "runtime/host.h"

uintptr_t host_gate_pass(void);

/* The place to go on at. */
uintptr_t host_gate_pass(void)
{
    struct recorder *self = recorder_current;
    struct host_gate *gate = &self->gate;
    if (recorder_enter(self)) {
        if (op_in(gate->op, OPS_ATOMIC))
            enforce_atomic(self, gate->address, gate->size, gate->op, gate->pc);
        else
            enforce_access(self, gate->address, gate->size, gate->op, gate->pc);
        recorder_leave(self);
    }
    gate->passed |= HOST_GATE_BIT(gate->op);
    return gate->resume;
}

/* The red zone, the flags and all registers stay as they are; the place to go on at is
 * put above them, and `ret` takes it from there. */
__asm__(".text\n"
        ".type host_gate_entry, @function\n"
        "host_gate_entry:\n"
        "    leaq -136(%rsp), %rsp\n" /* the red zone, and room for the place */
        "    pushfq\n"
        "    pushq %rax\n"
        "    pushq %rcx\n"
        "    pushq %rdx\n"
        "    pushq %rsi\n"
        "    pushq %rdi\n"
        "    pushq %r8\n"
        "    pushq %r9\n"
        "    pushq %r10\n"
        "    pushq %r11\n"
        "    pushq %rbx\n"
        "    pushq %rbp\n"
        "    cld\n"
        "    movq %rsp, %rbp\n"
        "    subq $1024, %rsp\n"
        "    andq $-64, %rsp\n"
        "    movl host_gate_wide(%rip), %ebx\n"
        "    testl %ebx, %ebx\n"
        "    jz 1f\n"
        "    xorl %eax, %eax\n"
        "    movq %rax, 512(%rsp)\n" /* the area's header must be clean */
        "    movq %rax, 520(%rsp)\n"
        "    movq %rax, 528(%rsp)\n"
        "    movq %rax, 536(%rsp)\n"
        "    movq %rax, 544(%rsp)\n"
        "    movq %rax, 552(%rsp)\n"
        "    movq %rax, 560(%rsp)\n"
        "    movq %rax, 568(%rsp)\n"
        "    movl $7, %eax\n"
        "    xorl %edx, %edx\n"
        "    xsave64 (%rsp)\n"
        "    call host_gate_pass\n"
        "    movq %rax, 96(%rbp)\n"
        "    movl $7, %eax\n"
        "    xorl %edx, %edx\n"
        "    xrstor64 (%rsp)\n"
        "    jmp 2f\n"
        "1:  fxsave64 (%rsp)\n"
        "    call host_gate_pass\n"
        "    movq %rax, 96(%rbp)\n"
        "    fxrstor64 (%rsp)\n"
        "2:  movq %rbp, %rsp\n"
        "    popq %rbp\n"
        "    popq %rbx\n"
        "    popq %r11\n"
        "    popq %r10\n"
        "    popq %r9\n"
        "    popq %r8\n"
        "    popq %rdi\n"
        "    popq %rsi\n"
        "    popq %rdx\n"
        "    popq %rcx\n"
        "    popq %rax\n"
        "    popfq\n"
        "    ret $128\n"
        ".size host_gate_entry, . - host_gate_entry\n");

extern void host_gate_entry(void);

/* Are there registers wider than fxsave knows? */
uint32_t host_gate_wide __attribute__((visibility("hidden")));

uintptr_t host_gate_address(void)
{
    uint32_t a = 1, b, c = 0, d;
    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    host_gate_wide = c >> 27 & 1; /* OSXSAVE */
    return (uintptr_t)host_gate_entry;
}
