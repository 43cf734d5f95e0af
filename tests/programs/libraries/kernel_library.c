// What the C library hands from thread to thread: memory, callbacks, locks of its own.
// build: -D_GNU_SOURCE -ldl -lrt -lanl
// case reused_memory: race .*
// case grown_memory: race .*
// case duplicated_text: race .*
// case aligned_memory: race .*
// case at_exit: race data
// case sorted: race numbers
// case sorted_with_argument: race numbers
// case looked_up: race .*
// case looked_up_later: race data
// case told_of_lookup: race data
// case read_later: race data
// case told_of_read: race data
// case list_of_reads: race data
// case forked_memory: race data
// case fork_handlers: race data
// case loaded_library: race .*
// case locked_stream: race data
// case printed_together: race buffer
// case thread_specific: race .*
// case joined_late: race data
// tsan only reused_memory grown_memory duplicated_text aligned_memory thread_specific: it takes an
//   allocation for a write
// tsan only sorted sorted_with_argument printed_together: we do not record an access that repeats
// one
#include "kernel.h"

#include <aio.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

static void by_two(void *(*work)(void *), void *first, void *second)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, first);
    pthread_create(&threads[1], NULL, work, second);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

/* Memory that one gave back comes to another. Wrong: the first goes on with it. */
static int *kept;

static void *use_memory(void *second)
{
    if (second)
        zoo_later();
    for (int i = 0; i < 50; i++) {
        int *memory = second && wrong ? kept : malloc(64);
        *memory = i;
        if (!second && wrong)
            kept = memory;
        if (!wrong)
            free(memory);
    }
    return NULL;
}

static void reused_memory(void)
{
    by_two(use_memory, NULL, &data);
}

static void *use_grown(void *second)
{
    char *text = NULL;
    for (int i = 1; i < 200; i++) {
        text = realloc(text, (size_t)i * 7);
        text[i] = 1;
    }
    if (wrong && second)
        zoo_later();
    static char *last;
    if (wrong && second)
        last[3] = 5;
    if (wrong && !second)
        last = text;
    else
        free(text);
    return NULL;
}

static void grown_memory(void)
{
    by_two(use_grown, NULL, &data);
}

static char *text_of_other;

static void *duplicate(void *second)
{
    for (int i = 0; i < 30; i++) {
        char *text = strdup("a text"), *longer;
        if (asprintf(&longer, "%s and %d", text, i) < 0)
            abort();
        text[0] = 'A';
        longer[0] = 'B';
        if (wrong && !second)
            text_of_other = longer;
        if (wrong && second && (zoo_later(), text_of_other))
            text_of_other[0] = 'C';
        free(text);
        if (!wrong || second)
            free(longer);
        if (wrong)
            break;
    }
    return NULL;
}

static void duplicated_text(void)
{
    by_two(duplicate, NULL, &data);
}

static void *align(void *second)
{
    static char *last;
    for (int i = 0; i < 30; i++) {
        char *memory = aligned_alloc(256, 512);
        void *other;
        CHECK(posix_memalign(&other, 64, 100) == 0);
        memory[0] = *(char *)other = 1;
        if (wrong && second && last)
            last[0] = 2;
        if (wrong && !second)
            last = memory;
        else
            free(memory);
        free(other);
        if (wrong && second)
            zoo_later();
    }
    return NULL;
}

static void aligned_memory(void)
{
    by_two(align, NULL, &data);
}

/* Registered in one thread, called in the last. */
static void say_goodbye(void)
{
    take();
}

static void *register_goodbye(void *unused)
{
    data = 42; //@given
    CHECK(atexit(say_goodbye) == 0);
    if (wrong)
        data++;
    return unused;
}

static void at_exit(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, register_goodbye, NULL);
    zoo_later();
    pthread_detach(thread);
}

/* The library moves the elements about; each thread has its own. */
static int numbers[2][100];

static int compare(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static int compare_with(const void *a, const void *b, void *count)
{
    ++*(int *)count;
    return compare(a, b);
}

static void *sort(void *second)
{
    int *own = numbers[second && !wrong];
    for (int i = 0; i < 100; i++)
        own[i] = 100 - i;
    qsort(own, 100, sizeof *own, compare);
    ZOO_SEES(own[0] == 1);
    return NULL;
}

static void sorted(void)
{
    by_two(sort, NULL, &data);
}

static void *sort_with(void *second)
{
    int *own = numbers[second && !wrong], count = 0;
    if (!second || !wrong)
        for (int i = 0; i < 100; i++)
            own[i] = 100 - i;
    qsort_r(own, 100, sizeof *own, compare_with, &count);
    ZOO_SEES(own[0] == 1 && count);
    return NULL;
}

static void sorted_with_argument(void)
{
    by_two(sort_with, NULL, &data);
}

/* Each thread asks for itself. Wrong: they share the hints. */
static struct addrinfo hints;

static void *look_up(void *unused)
{
    struct addrinfo own = {.ai_flags = AI_NUMERICHOST, .ai_family = AF_INET}, *found;
    if (wrong)
        hints = own;
    for (int i = 0; i < 3; i++) {
        CHECK(getaddrinfo("127.0.0.1", NULL, wrong ? &hints : &own, &found) == 0);
        found->ai_flags++;
        freeaddrinfo(found);
    }
    return unused;
}

static void looked_up(void)
{
    by_two(look_up, NULL, NULL);
}

/* No order, but a time. */
static atomic_int begun;

static void has_begun(void)
{
    atomic_store_explicit(&begun, 1, memory_order_relaxed);
}

static void until_begun(void)
{
    while (!atomic_load_explicit(&begun, memory_order_relaxed))
        usleep(100);
}

static struct gaicb request = {.ar_name = "127.0.0.1"};

/* Asked for by one, found to be done by another. */
static void ask(void)
{
    struct gaicb *list[] = {&request};
    CHECK(getaddrinfo_a(GAI_NOWAIT, list, 1, NULL) == 0);
    has_begun();
}

static void until_found(void)
{
    until_begun();
    while (gai_error(&request) == EAI_INPROGRESS)
        usleep(1000);
}

static void looked_up_later(void)
{
    pthread_t thread;
    void (*send)(void) = ask;
    static struct addrinfo numeric = {.ai_flags = AI_NUMERICHOST};
    request.ar_request = &numeric;
    pthread_create(&thread, NULL, giver, &send);
    until_found();
    take();
    pthread_join(thread, NULL);
}

static int ends[2];

static void when_done(union sigval value)
{
    (void)value;
    take();
    CHECK(write(ends[1], "x", 1) == 1);
}

static struct sigevent tell = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = when_done};

static void wait_told(void)
{
    char byte;
    CHECK(read(ends[0], &byte, 1) == 1);
    data = 3;
}

static void told_of_lookup(void)
{
    struct gaicb *list[] = {&request};
    CHECK(pipe(ends) == 0);
    data = 42;
    CHECK(getaddrinfo_a(GAI_NOWAIT, list, 1, &tell) == 0);
    if (wrong)
        data++;
    wait_told();
}

static char room[16];
static struct aiocb block = {.aio_buf = room, .aio_nbytes = sizeof room};

static void begin_read(void)
{
    CHECK((block.aio_fildes = open("/proc/self/exe", O_RDONLY)) >= 0 && aio_read(&block) == 0);
    has_begun();
}

static void until_read(void)
{
    const struct aiocb *list[] = {&block};
    until_begun();
    CHECK(aio_suspend(list, 1, NULL) == 0 && aio_return(&block) == sizeof room);
}

static void read_later(void)
{
    block.aio_sigevent.sigev_notify = SIGEV_NONE;
    hand_over(begin_read, until_read);
}

static void told_of_read(void)
{
    CHECK(pipe(ends) == 0);
    block.aio_sigevent = tell;
    data = 42;
    begin_read();
    if (wrong)
        data++;
    wait_told();
}

static void list_of_reads(void)
{
    struct aiocb *list[] = {&block};
    CHECK(pipe(ends) == 0);
    block.aio_sigevent.sigev_notify = SIGEV_NONE;
    block.aio_lio_opcode = LIO_READ;
    CHECK((block.aio_fildes = open("/proc/self/exe", O_RDONLY)) >= 0);
    data = 42;
    CHECK(lio_listio(LIO_NOWAIT, list, 1, &tell) == 0);
    if (wrong)
        data++;
    wait_told();
}

/* A child has memory of its own. Wrong: the thread in the parent. */
static void *change(void *unused)
{
    data++;
    return unused;
}

static void forked_memory(void)
{
    pthread_t thread;
    pid_t child = fork();
    if (child == 0) {
        data++;
        _exit(data);
    }
    pthread_create(&thread, NULL, change, NULL);
    if (!wrong)
        pthread_join(thread, NULL);
    data++;
    if (wrong)
        pthread_join(thread, NULL);
    CHECK(waitpid(child, NULL, 0) == child);
}

/* A lock that is taken around each fork. */
static pthread_mutex_t around = PTHREAD_MUTEX_INITIALIZER;

static void before(void)
{
    if (!wrong)
        pthread_mutex_lock(&around);
    data++;
}

static void after(void)
{
    if (!wrong)
        pthread_mutex_unlock(&around);
}

static void *fork_once(void *unused)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    CHECK(waitpid(child, NULL, 0) == child);
    return unused;
}

static void fork_handlers(void)
{
    CHECK(pthread_atfork(before, after, after) == 0);
    by_two(fork_once, NULL, NULL);
    ZOO_SEES(data == 2);
}

/* Whoever opens a library finds it made ready, by whichever thread that was. */
static void *load(void *unused)
{
    static void *shared;
    void *library = dlopen("libm.so.6", RTLD_NOW);
    double (*cosine)(double) = (double (*)(double))dlsym(library, "cos");
    CHECK(cosine && cosine(0) == 1);
    if (wrong)
        shared = library;
    CHECK(dlclose(wrong ? shared : library) == 0);
    return unused;
}

static void loaded_library(void)
{
    by_two(load, NULL, NULL);
}

/* Streams have a lock that programs may take, too. */
static void *print_locked(void *unused)
{
    for (int i = 0; i < 5; i++) {
        if (!wrong)
            flockfile(stderr);
        data++;
        fprintf(stderr, "%d\n", i);
        if (!wrong)
            funlockfile(stderr);
    }
    return unused;
}

static void locked_stream(void)
{
    by_two(print_locked, NULL, NULL);
    ZOO_SEES(data == 10);
}

static char buffer[2][64];

static void *print_some(void *second)
{
    char *own = buffer[second && !wrong];
    for (int i = 0; i < 5; i++) {
        snprintf(own, 64, "line %d", i);
        fputs(own, stderr);
        printf("%s\n", own);
    }
    return NULL;
}

static void printed_together(void)
{
    by_two(print_some, NULL, &data);
}

/* A thread's own value, given back by the thread at its end. */
static pthread_key_t key;
static int *latest;

static void give_back(void *value)
{
    *(int *)value = 0;
    if (!wrong)
        free(value);
}

static void *use_own(void *second)
{
    int *own = malloc(sizeof *own);
    *own = 1;
    if (!second && wrong)
        latest = own;
    CHECK(pthread_setspecific(key, own) == 0);
    if (second && wrong) {
        zoo_later();
        if (latest)
            *latest = 2;
    }
    return NULL;
}

static void thread_specific(void)
{
    CHECK(pthread_key_create(&key, give_back) == 0);
    by_two(use_own, NULL, &data);
}

static void *set_data(void *unused)
{
    data = 42;
    return unused;
}

static void joined_late(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set_data, NULL);
    while (!wrong && pthread_tryjoin_np(thread, NULL))
        usleep(1000);
    if (wrong)
        zoo_later();
    take();
    if (wrong)
        pthread_join(thread, NULL);
}

ZOO_MAIN({"reused_memory", reused_memory}, {"grown_memory", grown_memory},
         {"duplicated_text", duplicated_text}, {"aligned_memory", aligned_memory},
         {"at_exit", at_exit}, {"sorted", sorted}, {"sorted_with_argument", sorted_with_argument},
         {"looked_up", looked_up}, {"looked_up_later", looked_up_later},
         {"told_of_lookup", told_of_lookup}, {"read_later", read_later},
         {"told_of_read", told_of_read}, {"list_of_reads", list_of_reads},
         {"forked_memory", forked_memory}, {"fork_handlers", fork_handlers},
         {"loaded_library", loaded_library}, {"locked_stream", locked_stream},
         {"printed_together", printed_together}, {"thread_specific", thread_specific},
         {"joined_late", joined_late})
