// deadlock: A
// A lock of the program's own, of one word and the kernel's futex: the one who has it is gone.
#include "hang.h"
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
static _Atomic int word;
static void take(void)
{
    while (atomic_exchange(&word, 1))
        syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL, NULL, 0); //@A
}
static void *keep(void *unused)
{
    take();
    return unused;
}
int main(void)
{
    finish(start(keep));
    take();
}
