/* Takes every key that POSIX promises, and looks at what threads find there. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

static pthread_key_t keys[PTHREAD_KEYS_MAX];
static int destroyed, shared;

static void on_end(void *value)
{
    (void)value;
    destroyed++;
}

static void *look(void *unused)
{
    for (int i = 0; i < PTHREAD_KEYS_MAX; i++)
        if (pthread_getspecific(keys[i]))
            printf("key %d is not empty\n", i);
    pthread_setspecific(keys[PTHREAD_KEYS_MAX - 1], &keys);
    shared++;
    return unused;
}

static void *wait_for_them(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return look(NULL);
}

int main(void)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t older, newer;
    pthread_key_t none;
    if (pthread_getspecific(0))
        puts("there is something before there is a key");
    pthread_mutex_lock(&gate);
    pthread_create(&older, NULL, wait_for_them, &gate);
    for (int i = 0; i < PTHREAD_KEYS_MAX; i++)
        if (pthread_key_create(&keys[i], on_end))
            printf("no key %d\n", i);
    printf("first %u, one more: %d\n", keys[0], pthread_key_create(&none, NULL));
    pthread_mutex_unlock(&gate);
    pthread_join(older, NULL);
    pthread_create(&newer, NULL, look, NULL);
    pthread_join(newer, NULL);
    printf("%d destroyed, %d shared\n", destroyed, shared);
    return 0;
}
