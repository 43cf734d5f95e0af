// count 1: oncebegin(control)
// count 1: onceend(control)
// count 2: oncepass(control)
// expect: oncebegin(flag)
// hb: none
#include <pthread.h>
#include <threads.h>

pthread_once_t control = PTHREAD_ONCE_INIT;
once_flag flag = ONCE_FLAG_INIT;
int made;

static void make(void)
{
    made = 1;
}

static void make_other(void)
{
}

static void *use(void *unused)
{
    pthread_once(&control, make);
    call_once(&flag, make_other);
    return made ? unused : &made;
}

int main(void)
{
    pthread_t threads[2];
    void *result = NULL;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, NULL);
    use(NULL);
    for (int i = 0; i < 2 && !result; i++)
        pthread_join(threads[i], &result);
    return result != NULL;
}
