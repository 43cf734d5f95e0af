// Counters, timers, signals, watches: what has a descriptor, a handler or a waiting thread.
// build: -D_GNU_SOURCE
// case counter: race data
// case counter_calls: race data
// case counter_polled: race data
// case counter_copy: race data
// case two_counters: race data
// case timer_descriptor: race data
// case timer_function: race data
// case timer_signal: race data
// case alarm_clock: race data
// case handler: race data
// case handler_with_information: race data
// case queued: race data
// case waited_for: race data
// case signal_descriptor: race data
// case to_the_process: race data
// case other_thread: race data
// case watch: race data
#include "kernel.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>

static int descriptor;

static void add_one(void)
{
    uint64_t one = 1;
    CHECK(write(descriptor, &one, sizeof one) == sizeof one);
}

static void read_count(void)
{
    uint64_t count;
    CHECK(read(descriptor, &count, sizeof count) == sizeof count);
}

static void counter(void)
{
    CHECK((descriptor = eventfd(0, 0)) >= 0);
    hand_over(add_one, read_count);
}

static void call_add(void)
{
    CHECK(eventfd_write(descriptor, 1) == 0);
}

static void call_read(void)
{
    eventfd_t count;
    CHECK(eventfd_read(descriptor, &count) == 0);
}

static void counter_calls(void)
{
    CHECK((descriptor = eventfd(0, EFD_CLOEXEC)) >= 0);
    hand_over(call_add, call_read);
}

static void wait_poll(void)
{
    struct pollfd one = {descriptor, POLLIN, 0};
    struct timespec long_enough = {.tv_sec = 1000};
    CHECK(ppoll(&one, 1, &long_enough, NULL) == 1);
}

static void counter_polled(void)
{
    CHECK((descriptor = eventfd(0, 0)) >= 0);
    hand_over(add_one, wait_poll);
}

static void add_to_copy(void)
{
    uint64_t one = 1;
    int copy = fcntl(descriptor, F_DUPFD, 100);
    CHECK(copy >= 100 && write(copy, &one, sizeof one) == sizeof one);
}

static void counter_copy(void)
{
    CHECK((descriptor = eventfd(0, 0)) >= 0);
    hand_over(add_to_copy, read_count);
}

static int other;

static void *add_other(void *unused)
{
    uint64_t one = 1;
    data = 42;
    CHECK(write(wrong ? other : descriptor, &one, sizeof one) == sizeof one);
    return unused;
}

static void two_counters(void)
{
    pthread_t thread;
    CHECK((descriptor = eventfd(wrong, 0)) >= 0 && (other = eventfd(0, 0)) >= 0);
    pthread_create(&thread, NULL, add_other, NULL);
    zoo_later();
    read_count();
    take();
    pthread_join(thread, NULL);
}

static const struct itimerspec soon = {.it_value.tv_nsec = 30000000};

static void set_descriptor(void)
{
    CHECK(timerfd_settime(descriptor, 0, &soon, NULL) == 0);
}

static void timer_descriptor(void)
{
    CHECK((descriptor = timerfd_create(CLOCK_MONOTONIC, 0)) >= 0);
    hand_over(set_descriptor, read_count);
}

static int ends[2];

static void when_it_is_time(union sigval value)
{
    CHECK(value.sival_int == 7);
    take();
    CHECK(write(ends[1], "x", 1) == 1);
}

static void timer_function(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD,
                             .sigev_value.sival_int = 7,
                             .sigev_notify_function = when_it_is_time};
    timer_t timer;
    char byte;
    CHECK(pipe(ends) == 0 && timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    data = 42;
    CHECK(timer_settime(timer, 0, &soon, NULL) == 0);
    if (wrong)
        data++;
    CHECK(read(ends[0], &byte, 1) == 1);
    data = 3;
    CHECK(timer_delete(timer) == 0);
}

/* The main thread gets the signal, another has set the timer. */
static volatile sig_atomic_t come;

static void on_signal(int number)
{
    (void)number;
    take();
    come = 1;
}

static void on_signal_with_information(int number, siginfo_t *information, void *context)
{
    (void)context;
    if (number != SIGUSR1 || information->si_signo != number)
        abort();
    on_signal(number);
}

static void wait_for_it(void)
{
    while (!come)
        usleep(1000);
}

/* Runs `send` in a thread that does not get SIGUSR1 itself, until the handler has run. */
static void until_handled(void (*send)(void))
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_create(&thread, NULL, giver, &send);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    wait_for_it();
    pthread_join(thread, NULL);
}

static timer_t timer;

static void set_timer(void)
{
    CHECK(timer_settime(timer, 0, &soon, NULL) == 0);
}

static void timer_signal(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    CHECK(signal(SIGUSR1, on_signal) == SIG_DFL);
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    until_handled(set_timer);
}

static void set_alarm(void)
{
    struct itimerval time = {.it_value.tv_usec = 30000};
    CHECK(setitimer(ITIMER_REAL, &time, NULL) == 0);
}

static void alarm_clock(void)
{
    CHECK(signal(SIGALRM, on_signal) != SIG_ERR);
    until_handled(set_alarm);
}

static pthread_t main_thread;

static void send_signal(void)
{
    CHECK(pthread_kill(main_thread, SIGUSR1) == 0);
}

static void handler(void)
{
    main_thread = pthread_self();
    CHECK(signal(SIGUSR1, on_signal) == SIG_DFL && signal(SIGUSR1, on_signal) == on_signal);
    until_handled(send_signal);
}

static void handler_with_information(void)
{
    struct sigaction action = {.sa_sigaction = on_signal_with_information, .sa_flags = SA_SIGINFO},
                     found;
    main_thread = pthread_self();
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGUSR1, NULL, &found) == 0);
    CHECK(found.sa_sigaction == on_signal_with_information && found.sa_flags & SA_SIGINFO);
    until_handled(send_signal);
}

static void queue_signal(void)
{
    CHECK(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 3}) == 0);
}

static void queued(void)
{
    CHECK(signal(SIGUSR1, on_signal) == SIG_DFL);
    until_handled(queue_signal);
}

static sigset_t only_usr2;

static void block(void)
{
    sigemptyset(&only_usr2);
    sigaddset(&only_usr2, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &only_usr2, NULL);
    main_thread = pthread_self();
}

static void send_usr2(void)
{
    CHECK(pthread_sigqueue(main_thread, SIGUSR2, (union sigval){.sival_int = 3}) == 0);
}

static void wait_signal(void)
{
    int number;
    CHECK(sigwait(&only_usr2, &number) == 0 && number == SIGUSR2);
}

static void waited_for(void)
{
    block();
    hand_over(send_usr2, wait_signal);
}

static void kill_usr2(void)
{
    CHECK(kill(getpid(), SIGUSR2) == 0);
}

static void read_signal(void)
{
    struct signalfd_siginfo information;
    CHECK(read(descriptor, &information, sizeof information) == sizeof information);
    CHECK(information.ssi_signo == SIGUSR2);
}

static void signal_descriptor(void)
{
    block();
    CHECK((descriptor = signalfd(-1, &only_usr2, 0)) >= 0);
    hand_over(kill_usr2, read_signal);
}

static void wait_with_information(void)
{
    siginfo_t information;
    CHECK(sigwaitinfo(&only_usr2, &information) == SIGUSR2);
}

static void to_the_process(void)
{
    block();
    hand_over(kill_usr2, wait_with_information);
}

/* A signal to one thread says nothing to another that gets one, too. */
static void *wait_for_own(void *unused)
{
    int number;
    CHECK(sigwait(&only_usr2, &number) == 0);
    return unused;
}

static void *signal_a_thread(void *to)
{
    data = 42;
    CHECK(pthread_kill(*(pthread_t *)to, SIGUSR2) == 0);
    return NULL;
}

static void other_thread(void)
{
    pthread_t waiting, sending;
    block();
    pthread_create(&waiting, NULL, wait_for_own, NULL);
    pthread_t to = wrong ? waiting : main_thread;
    if (wrong)
        CHECK(pthread_kill(main_thread, SIGUSR2) == 0);
    pthread_create(&sending, NULL, signal_a_thread, &to);
    zoo_later();
    wait_signal();
    take();
    if (!wrong)
        CHECK(pthread_kill(waiting, SIGUSR2) == 0);
    pthread_join(waiting, NULL);
    pthread_join(sending, NULL);
}

static char directory[] = "/tmp/zoo-watch-XXXXXX";

static void make_file(void)
{
    char path[64];
    snprintf(path, sizeof path, "%s/file", directory);
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    CHECK(file >= 0 && close(file) == 0 && unlink(path) == 0);
}

static void read_change(void)
{
    char room[4096];
    CHECK(read(descriptor, room, sizeof room) > 0);
}

static void watch(void)
{
    CHECK(mkdtemp(directory) && (descriptor = inotify_init1(IN_CLOEXEC)) >= 0);
    CHECK(inotify_add_watch(descriptor, directory, IN_CREATE) >= 0);
    hand_over(make_file, read_change);
    CHECK(rmdir(directory) == 0);
}

ZOO_MAIN({"counter", counter}, {"counter_calls", counter_calls}, {"counter_polled", counter_polled},
         {"counter_copy", counter_copy}, {"two_counters", two_counters},
         {"timer_descriptor", timer_descriptor}, {"timer_function", timer_function},
         {"timer_signal", timer_signal}, {"alarm_clock", alarm_clock}, {"handler", handler},
         {"handler_with_information", handler_with_information}, {"queued", queued},
         {"waited_for", waited_for}, {"signal_descriptor", signal_descriptor},
         {"to_the_process", to_the_process}, {"other_thread", other_thread}, {"watch", watch})
