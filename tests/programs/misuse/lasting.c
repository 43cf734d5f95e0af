// case static_lock: nothing
// case static_flag: nothing
// case never_made: nothing
// case created: init-held observed first made
// case destroyed: destroy-held observed last ended
// case dynamic: destroy-held observed last ended_dynamic
// case reused: destroy-held observed last ended
// Locks of the program's own, one of which is used before its constructor and after its destructor:
// that is right if it says that it lasts as long as the program, and they do nothing.
#include <string.h>

enum { LINKER_INIT = 1 << 0, NOT_STATIC = 1 << 8 };

void AnnotateRWLockCreate(const char *file, int line, const volatile void *at);
void AnnotateRWLockCreateStatic(const char *file, int line, const volatile void *at);
void AnnotateRWLockDestroy(const char *file, int line, const volatile void *at);
void AnnotateRWLockAcquired(const char *file, int line, const volatile void *at, long writer);
void AnnotateRWLockReleased(const char *file, int line, const volatile void *at, long writer);
void __tsan_mutex_create(void *at, unsigned flags);
void __tsan_mutex_destroy(void *at, unsigned flags);

static int lock;
static const char *name = "static_lock";

static int is(const char *other)
{
    return strcmp(name, other) == 0;
}

static void construct(void)
{
    if (is("static_lock") || is("reused"))
        AnnotateRWLockCreateStatic(__FILE__, __LINE__, &lock);
    if (is("static_flag"))
        __tsan_mutex_create(&lock, LINKER_INIT);
    if (is("created"))
        AnnotateRWLockCreate(__FILE__, __LINE__, &lock); //@made
}

static void destruct(void)
{
    if (is("dynamic") || is("never_made"))
        __tsan_mutex_destroy(&lock, NOT_STATIC); //@ended_dynamic
    else if (is("static_flag"))
        __tsan_mutex_destroy(&lock, 0);
    else if (!is("created"))
        AnnotateRWLockDestroy(__FILE__, __LINE__, &lock); //@ended
}

int main(int argc, char **argv)
{
    if (argc > 1)
        name = argv[1];
    if (is("dynamic"))
        __tsan_mutex_create(&lock, NOT_STATIC);
    AnnotateRWLockAcquired(__FILE__, __LINE__, &lock, 1); //@first
    construct();
    AnnotateRWLockReleased(__FILE__, __LINE__, &lock, 1);
    if (is("reused"))
        AnnotateRWLockCreate(__FILE__, __LINE__, &lock);  /* another lock in the same place */
    AnnotateRWLockAcquired(__FILE__, __LINE__, &lock, 1); //@last
    destruct();
    AnnotateRWLockReleased(__FILE__, __LINE__, &lock, 1);
    return 0;
}
