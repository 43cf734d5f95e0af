/* One thread closes what another one looks at: the pointer is there when it is checked, and gone
 * when it is used. -DRIGHT: under a lock. */
#include <pthread.h>
#include <stdlib.h>

struct file {
    int size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct file *open_file;
static int size;

static void enter(void)
{
#ifdef RIGHT
    pthread_mutex_lock(&lock);
#endif
}

static void leave(void)
{
#ifdef RIGHT
    pthread_mutex_unlock(&lock);
#endif
}

static void *look(void *argument)
{
    enter();
    struct file *file = open_file;
    if (file)
        size = file->size;
    leave();
    return argument;
}

static void *close_it(void *argument)
{
    enter();
    struct file *file = open_file;
    open_file = NULL;
    free(file);
    leave();
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    open_file = malloc(sizeof *open_file);
    open_file->size = 1;
    pthread_create(&threads[0], NULL, look, NULL);
    pthread_create(&threads[1], NULL, close_it, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    (void)lock;
    return 0;
}
