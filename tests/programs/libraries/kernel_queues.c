// Queues, semaphores and locks that the kernel keeps, and mutexes that processes share.
// build: -D_GNU_SOURCE -lrt
// case posix_queue: race data
// case posix_queue_told: race data
// case system_v_queue: race data
// case named_semaphore: race data
// case system_v_semaphore: race data
// case semaphore_of_a_set: race data
// case semaphore_as_lock: race data
// case wait_for_zero: race data
// case file_lock: race data
// case lock_of_an_opening: race data
// case lock_by_closing: race data
// case shared_mutex: race .*
// case shared_condition: race .*
// case child_ends: race data
// case spawned: race data
// case shared_with_a_child: race .*
#include "kernel.h"

#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/wait.h>

extern char **environ;

static char name[64];
static mqd_t queue;

static void open_queue(void)
{
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
    snprintf(name, sizeof name, "/zoo-%d", getpid());
    queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
    CHECK(queue != (mqd_t)-1 && mq_unlink(name) == 0);
}

static void send_message(void)
{
    CHECK(mq_send(queue, "x", 1, 0) == 0);
}

static void receive_message(void)
{
    char room[8];
    CHECK(mq_receive(queue, room, sizeof room, NULL) == 1);
}

static void posix_queue(void)
{
    open_queue();
    hand_over(send_message, receive_message);
}

static int ends[2];

/* Who is told that a message has come was asked to be told before. */
static void on_message(union sigval value)
{
    (void)value;
    take();
    CHECK(write(ends[1], "x", 1) == 1);
}

static void posix_queue_told(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_message};
    char byte;
    CHECK(pipe(ends) == 0);
    open_queue();
    data = 42;
    CHECK(mq_notify(queue, &event) == 0);
    if (wrong)
        data++;
    send_message();
    CHECK(read(ends[0], &byte, 1) == 1);
}

static int number;

static void send_numbered(void)
{
    struct {
        long type;
        char text[8];
    } message = {1, "x"};
    CHECK(msgsnd(number, &message, sizeof message.text, 0) == 0);
}

static void receive_numbered(void)
{
    struct {
        long type;
        char text[8];
    } message;
    CHECK(msgrcv(number, &message, sizeof message.text, 0, 0) == sizeof message.text);
}

static void system_v_queue(void)
{
    CHECK((number = msgget(IPC_PRIVATE, 0600)) >= 0);
    hand_over(send_numbered, receive_numbered);
    msgctl(number, IPC_RMID, NULL);
}

static sem_t *semaphore;

static void post(void)
{
    CHECK(sem_post(semaphore) == 0);
}

static void wait_semaphore(void)
{
    CHECK(sem_wait(semaphore) == 0);
}

static void named_semaphore(void)
{
    snprintf(name, sizeof name, "/zoo-%d", getpid());
    semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    CHECK(semaphore != SEM_FAILED && sem_unlink(name) == 0);
    hand_over(post, wait_semaphore);
}

static void change(unsigned short which, short by)
{
    struct sembuf step = {which, by, 0};
    CHECK(semop(number, &step, 1) == 0);
}

static void raise_it(void)
{
    change(0, 1);
}

static void take_it(void)
{
    change(0, -1);
}

static void system_v_semaphore(void)
{
    CHECK((number = semget(IPC_PRIVATE, 1, 0600)) >= 0);
    hand_over(raise_it, take_it);
    semctl(number, 0, IPC_RMID);
}

/* Of two semaphores, one says nothing about the other. */
static void *raise_one_of_two(void *unused)
{
    data = 42;
    change(wrong ? 1 : 0, 1);
    return unused;
}

static void semaphore_of_a_set(void)
{
    pthread_t thread;
    CHECK((number = semget(IPC_PRIVATE, 2, 0600)) >= 0);
    if (wrong)
        change(0, 1);
    pthread_create(&thread, NULL, raise_one_of_two, NULL);
    zoo_later();
    take_it();
    take();
    pthread_join(thread, NULL);
    semctl(number, 0, IPC_RMID);
}

static void *count_under_semaphore(void *unused)
{
    for (int i = 0; i < 5; i++) {
        if (!wrong)
            change(0, -1);
        data++;
        if (!wrong)
            change(0, 1);
    }
    return unused;
}

static void by_two(void *(*work)(void *))
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static void semaphore_as_lock(void)
{
    CHECK((number = semget(IPC_PRIVATE, 1, 0600)) >= 0 && semctl(number, 0, SETVAL, 1) == 0);
    by_two(count_under_semaphore);
    ZOO_SEES(data == 10);
    semctl(number, 0, IPC_RMID);
}

static void wait_zero(void)
{
    change(0, 0);
}

static void wait_for_zero(void)
{
    CHECK((number = semget(IPC_PRIVATE, 1, 0600)) >= 0 && semctl(number, 0, SETVAL, 1) == 0);
    hand_over(take_it, wait_zero);
    semctl(number, 0, IPC_RMID);
}

static char path[] = "/tmp/zoo-lock-XXXXXX";
static int shared_opening;

/* Wrong: both threads use one opening of the file, which locks nobody out. */
static int opened(void)
{
    int file = wrong ? shared_opening : open(path, O_RDWR | O_CLOEXEC);
    CHECK(file >= 0);
    return file;
}

static void *count_under_file_lock(void *unused)
{
    int file = opened();
    for (int i = 0; i < 5; i++) {
        CHECK(flock(file, LOCK_EX) == 0);
        data++;
        CHECK(flock(file, LOCK_UN) == 0);
    }
    return unused;
}

static void with_file(void *(*work)(void *))
{
    CHECK((shared_opening = mkstemp(path)) >= 0);
    by_two(work);
    unlink(path);
}

static void file_lock(void)
{
    with_file(count_under_file_lock);
    ZOO_SEES(data == 10);
}

/* Wrong: the older locks, which belong to the process. */
static void *count_under_opening_lock(void *unused)
{
    int file = open(path, O_RDWR | O_CLOEXEC);
    for (int i = 0; i < 5; i++) {
        struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        CHECK(fcntl(file, wrong ? F_SETLKW : F_OFD_SETLKW, &all) == 0);
        data++;
        all.l_type = F_UNLCK;
        CHECK(fcntl(file, wrong ? F_SETLKW : F_OFD_SETLKW, &all) == 0);
    }
    return unused;
}

static void lock_of_an_opening(void)
{
    with_file(count_under_opening_lock);
    ZOO_SEES(data == 10);
}

/* Wrong: one opening for both, by numbers of their own (the same one, given again, is an order). */
static void *count_until_closed(void *unused)
{
    int own = 100 + gettid() % 800;
    int file = wrong ? fcntl(shared_opening, F_DUPFD_CLOEXEC, own) : opened();
    CHECK(flock(file, LOCK_EX) == 0);
    data++;
    CHECK(close(file) == 0);
    return unused;
}

static void lock_by_closing(void)
{
    with_file(count_until_closed);
    ZOO_SEES(data == 2);
}

static struct shared {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    int value;
} * shared;

static void share(void)
{
    pthread_mutexattr_t mutex;
    pthread_condattr_t condition;
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->mutex, &mutex);
    pthread_condattr_init(&condition);
    pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->condition, &condition);
}

static void *count_shared(void *unused)
{
    for (int i = 0; i < 5; i++) {
        if (!wrong)
            pthread_mutex_lock(&shared->mutex);
        shared->value++;
        if (!wrong)
            pthread_mutex_unlock(&shared->mutex);
    }
    return unused;
}

static void shared_mutex(void)
{
    share();
    by_two(count_shared);
    ZOO_SEES(shared->value == 10);
}

static void *set_shared(void *unused)
{
    pthread_mutex_lock(&shared->mutex);
    shared->value = 42;
    pthread_cond_signal(&shared->condition);
    pthread_mutex_unlock(&shared->mutex);
    if (wrong)
        shared->value++;
    return unused;
}

static void shared_condition(void)
{
    pthread_t thread;
    share();
    pthread_create(&thread, NULL, set_shared, NULL);
    pthread_mutex_lock(&shared->mutex);
    while (!shared->value)
        pthread_cond_wait(&shared->condition, &shared->mutex);
    ZOO_SEES(shared->value == 42);
    pthread_mutex_unlock(&shared->mutex);
    pthread_join(thread, NULL);
}

static pid_t child;

/* The one who starts a process is before the one who hears of its end. */
static void *start_child(void *unused)
{
    data = 42; //@given
    child = fork();
    if (child == 0)
        _exit(3);
    if (wrong)
        data++;
    return unused;
}

static void *start_program(void *unused)
{
    char *arguments[] = {"true", NULL};
    data = 42; //@given
    CHECK(posix_spawnp(&child, "true", NULL, NULL, arguments, environ) == 0);
    if (wrong)
        data++;
    return unused;
}

/* Whichever child it is, nobody needs to be told its number. */
static void hear_of_end(void *(*start)(void *))
{
    pthread_t thread;
    pthread_create(&thread, NULL, start, NULL);
    while (wait(NULL) < 0)
        usleep(1000);
    take();
    pthread_join(thread, NULL);
}

static void child_ends(void)
{
    hear_of_end(start_child);
}

static void spawned(void)
{
    hear_of_end(start_program);
}

/* A child writes what both see; its end is the hand-over. Wrong: another thread writes, too. */
static void *write_shared(void *unused)
{
    shared->value = 42;
    return unused;
}

static void shared_with_a_child(void)
{
    pthread_t thread;
    share();
    if (wrong)
        pthread_create(&thread, NULL, write_shared, NULL);
    pid_t writer = fork();
    if (writer == 0) {
        /* A process has a trace of its own: races are looked for inside each. */
        shared->value = 42; //@given
        _exit(0);
    }
    CHECK(waitpid(writer, NULL, 0) == writer);
    ZOO_SEES(shared->value == 42);
    shared->value = 1;
    if (wrong)
        pthread_join(thread, NULL);
}

ZOO_MAIN({"posix_queue", posix_queue}, {"posix_queue_told", posix_queue_told},
         {"system_v_queue", system_v_queue}, {"named_semaphore", named_semaphore},
         {"system_v_semaphore", system_v_semaphore}, {"semaphore_of_a_set", semaphore_of_a_set},
         {"semaphore_as_lock", semaphore_as_lock}, {"wait_for_zero", wait_for_zero},
         {"file_lock", file_lock}, {"lock_of_an_opening", lock_of_an_opening},
         {"lock_by_closing", lock_by_closing}, {"shared_mutex", shared_mutex},
         {"shared_condition", shared_condition}, {"child_ends", child_ends}, {"spawned", spawned},
         {"shared_with_a_child", shared_with_a_child})
