// longjmp out of nested calls, also out of a signal handler: call stacks recover.
// expect: w(after)
// hb: race after
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

static jmp_buf back;
static sigjmp_buf out;
int after;

static __attribute__((noinline)) void deep(int depth)
{
    if (!depth)
        longjmp(back, 1);
    deep(depth - 1);
    after = -1;
}

static void handler(int signal)
{
    (void)signal;
    siglongjmp(out, 1);
}

static void *run(void *unused)
{
    for (int i = 0; i < 100; i++)
        if (!setjmp(back))
            deep(20);
    signal(SIGUSR1, handler);
    for (int i = 0; i < 10; i++)
        if (!sigsetjmp(out, 1))
            raise(SIGUSR1);
    after = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    after = 2;
    pthread_join(thread, NULL);
    return 0;
}
