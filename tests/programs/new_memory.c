// Memory that is given back and got again is other memory, wherever it comes from, and a
// stack frame that lies where another one lay is another frame.
// hb: none
// sync: none
#define _GNU_SOURCE
#include <preplay/preplay.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static sem_t turns[2];

/* The second thread comes after the first, which no lock of the program says. */
static void wait_turn(int which)
{
    preplay_ignore_begin();
    sem_wait(&turns[which]);
    preplay_ignore_end();
}

static void next_turn(int which)
{
    preplay_ignore_begin();
    sem_post(&turns[which]);
    preplay_ignore_end();
}

/* Where the first thread's mapping was, and the second's shall be. */
static void *place;

static void keep_place(void *here)
{
    preplay_ignore_begin();
    place = here;
    preplay_ignore_end();
}

static void *kept_place(void)
{
    preplay_ignore_begin();
    void *here = place;
    preplay_ignore_end();
    return here;
}

static void use(int first)
{
    size_t size = 8192;
    char *blocks[4] = {0};
    blocks[0] = mmap(first ? NULL : kept_place(), size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | (first ? 0 : MAP_FIXED), -1, 0);
    if (first)
        keep_place(blocks[0]);
    if (posix_memalign((void **)&blocks[1], 64, size))
        abort();
    blocks[2] = realloc(malloc(100), size);
    blocks[3] = reallocarray(NULL, 16, 512);
    for (int i = 0; i < 4; i++)
        for (size_t byte = 0; byte < size; byte += 64)
            blocks[i][byte] = (char)i;
    munmap(blocks[0], size);
    for (int i = 1; i < 4; i++)
        free(blocks[i]);
}

static void *first(void *unused)
{
    use(1);
    next_turn(0);
    return unused;
}

static void *second(void *unused)
{
    wait_turn(0);
    use(0);
    next_turn(1);
    return unused;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t set = PTHREAD_COND_INITIALIZER;

struct gift {
    int *value;
    int given;
};

static void *give(void *argument)
{
    struct gift *gift = argument;
    pthread_mutex_lock(&mutex);
    *gift->value = 1;
    gift->given = 1;
    pthread_cond_signal(&set);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* Two calls, one frame's place: what the first call's thread did is over by then. */
static __attribute__((noinline)) int receive(void)
{
    pthread_t thread;
    int value = 0;
    struct gift gift = {&value, 0};
    pthread_create(&thread, NULL, give, &gift);
    pthread_mutex_lock(&mutex);
    while (!gift.given)
        pthread_cond_wait(&set, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return value;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&turns[0], 0, 0);
    sem_init(&turns[1], 0, 0);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    wait_turn(1);
    int sum = receive() + receive();
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return sum == 2 ? 0 : 1;
}
