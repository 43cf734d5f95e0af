// A futex that another process may wake.
#include "hang.h"
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
int main(void)
{
    int *word = mmap(NULL, sizeof *word, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *word = 1;
    syscall(SYS_futex, word, FUTEX_WAIT, 1, NULL, NULL, 0);
}
