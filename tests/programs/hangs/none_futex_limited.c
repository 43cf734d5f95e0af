// A wait in a futex that ends by itself.
#include "hang.h"
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
int main(void)
{
    const struct timespec minute = {60, 0};
    int word = 0;
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &minute, NULL, 0);
}
