// case foreign_write: unlock-foreign observed write unlock
// case foreign_read: unlock-foreign observed read unlock
// case destroyed: use-destroyed observed destroy used
// case late: use-destroyed confirmed destroy_late late
// case mode: unlock-mode observed annotated mode
// case annotated: unlock-foreign observed annotated other
// case annotated_twice: unlock-free observed own twice
// case annotated_destroy: destroy-held observed annotated annotated_destroy
// case own: nothing
// case again: nothing
// case assigned: nothing
// case upgraded: nothing
// case linker: nothing
// Readers-writer locks, the C library's and the program's own ones, that others unlock, or that are
// used after they were destroyed.
#include "../patience.h"

#include <pthread.h>
#include <string.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int annotated, guarded;
static const char *name = "own";

void AnnotateRWLockAcquired(const char *file, int line, const volatile void *at, long writer);
void AnnotateRWLockReleased(const char *file, int line, const volatile void *at, long writer);
void __tsan_mutex_destroy(void *at, unsigned flags);

static int is(const char *other)
{
    return strcmp(name, other) == 0;
}

static void *helper(void *unused)
{
    if (is("foreign_write") || is("foreign_read")) {
        pthread_rwlock_unlock(&lock); //@unlock
        return unused;                /* the C library's lock is broken now */
    }
    if (is("annotated"))
        AnnotateRWLockReleased(__FILE__, __LINE__, &annotated, 1); //@other
    if (is("late")) {
        pthread_mutex_lock(&gate);
        pthread_rwlock_rdlock(&lock); //@late
        pthread_rwlock_unlock(&lock);
        pthread_mutex_unlock(&gate);
        return unused;
    }
    pthread_rwlock_wrlock(&lock);
    guarded++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void run_helper(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, helper, NULL);
    pthread_join(thread, NULL);
}

static int destroy_late(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, helper, NULL);
    usleep(100000);
    pthread_mutex_lock(&gate);
    pthread_rwlock_destroy(&lock); //@destroy_late
    pthread_mutex_unlock(&gate);
    return pthread_join(thread, NULL);
}

static void annotate(void)
{
    AnnotateRWLockAcquired(__FILE__, __LINE__, &annotated, 1); //@annotated
    if (is("mode"))
        AnnotateRWLockReleased(__FILE__, __LINE__, &annotated, 0); //@mode
    else if (is("annotated"))
        run_helper();
    else if (is("annotated_destroy") || is("linker"))
        __tsan_mutex_destroy(&annotated, is("linker")); //@annotated_destroy
    else
        AnnotateRWLockReleased(__FILE__, __LINE__, &annotated, 1); //@own
    if (is("annotated_twice"))
        AnnotateRWLockReleased(__FILE__, __LINE__, &annotated, 1); //@twice
}

static void destroy(void)
{
    pthread_rwlock_destroy(&lock); //@destroy
    if (is("again"))
        pthread_rwlock_init(&lock, NULL);
    if (is("assigned"))
        lock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    pthread_rwlock_wrlock(&lock); //@used
    pthread_rwlock_unlock(&lock);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        name = argv[1];
    if (is("late"))
        return destroy_late();
    if (is("foreign_write"))
        pthread_rwlock_wrlock(&lock); //@write
    if (is("foreign_read"))
        pthread_rwlock_rdlock(&lock); //@read
    if (is("upgraded")) {             /* refused */
        pthread_rwlock_rdlock(&lock);
        if (pthread_rwlock_trywrlock(&lock) == 0)
            return 1;
        pthread_rwlock_unlock(&lock);
    }
    if (is("mode") || is("annotated") || is("annotated_twice") || is("annotated_destroy") ||
        is("linker"))
        annotate();
    else
        run_helper();
    if (is("destroyed") || is("again") || is("assigned"))
        destroy();
    return 0;
}
