/* A coroutine and a signal handler on stacks of 8 KB, and what lies below them. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

enum { STACK = 8192, BELOW = 65536, UNTOUCHED = 0xAA };

static struct {
    unsigned char below[BELOW], stack[STACK];
} memory __attribute__((aligned(4096)));
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static ucontext_t back, other;
static int counter;

static void work(void)
{
    char text[32];
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    snprintf(text, sizeof text, "%d", counter);
    counter += (int)strlen(text);
}

static void on_signal(int number)
{
    (void)number;
    work();
}

static void use_signal_stack(void)
{
    stack_t stack = {.ss_sp = memory.stack, .ss_size = STACK};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
}

static void use_coroutine(void)
{
    getcontext(&other);
    other.uc_stack.ss_sp = memory.stack;
    other.uc_stack.ss_size = STACK;
    other.uc_link = &back;
    makecontext(&other, work, 0);
    swapcontext(&back, &other);
}

int main(int argc, char **argv)
{
    (void)argv;
    memset(memory.below, UNTOUCHED, BELOW);
    if (argc > 1)
        use_signal_stack();
    else
        use_coroutine();
    int changed = 0;
    for (int i = 0; i < BELOW; i++)
        changed += memory.below[i] != UNTOUCHED;
    printf("%d bytes below the stack were changed\n", changed);
    return changed > 0;
}
