// Pipes, in all the ways that they are written, read, copied, watched and closed.
// build: -D_GNU_SOURCE
// case pipe: race data
// case pointer: race heap|\*|block|0x|malloc|message
// case named: race data
// case copies: race data
// case high_numbers: race data
// case vectors: race data
// case end: race data
// case end_of_a_copy: race data
// case poll_only: race data
// case select_only: race data
// case epoll_only: race data
// case epoll_same_data: race data
// case epoll_rearmed: race data
// case streams: race data
// case stream_closed: race data
// case lines: race data
// case spliced: race data
// case passed_on: race data
// case reader_gone: race data
// case two_pipes: race data
// case second_message: race data
// case told_of_the_first: race data
// case many_messages: race slots
// case two_readers: race data
// case another_reads_along: race data
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>

static int ends[2], ends_too[2];

static void write_byte(void)
{
    CHECK(write(ends[1], "x", 1) == 1);
}

static void read_byte(void)
{
    char byte;
    CHECK(read(ends[0], &byte, 1) == 1);
}

static void pipe_case(void)
{
    CHECK(pipe(ends) == 0);
    hand_over(write_byte, read_byte);
}

static void *send_message(void *unused)
{
    int *message = malloc(sizeof *message);
    *message = 42;
    CHECK(write(ends[1], &message, sizeof message) == sizeof message);
    if (wrong)
        ++*message;
    return unused;
}

static void pointer(void)
{
    pthread_t thread;
    int *message;
    CHECK(pipe(ends) == 0);
    pthread_create(&thread, NULL, send_message, NULL);
    CHECK(read(ends[0], &message, sizeof message) == sizeof message);
    ZOO_SEES(*message == 42);
    *message = 1;
    pthread_join(thread, NULL);
    free(message);
}

static char name[] = "/tmp/zoo-fifo-XXXXXX";

static void write_named(void)
{
    int file = open(name, O_WRONLY);
    CHECK(file >= 0 && write(file, "x", 1) == 1);
}

static void read_named(void)
{
    char byte;
    int file = open(name, O_RDONLY);
    CHECK(file >= 0 && read(file, &byte, 1) == 1);
}

static void named(void)
{
    CHECK(mktemp(name) && mkfifo(name, 0600) == 0);
    hand_over(write_named, read_named);
    unlink(name);
}

static void write_copy(void)
{
    int copy = dup(ends[1]), other = fcntl(copy, F_DUPFD_CLOEXEC, 50);
    CHECK(copy >= 0 && other >= 50 && close(copy) == 0 && write(other, "x", 1) == 1);
}

static void read_copy(void)
{
    char byte;
    CHECK(dup2(ends[0], 90) == 90 && read(90, &byte, 1) == 1);
}

static void copies(void)
{
    CHECK(pipe(ends) == 0);
    hand_over(write_copy, read_copy);
}

/* Beyond what a small table would hold. */
static void high_numbers(void)
{
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = limit.rlim_max;
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0 && pipe(ends) == 0);
    int high = limit.rlim_cur > 9000 ? 9000 : (int)limit.rlim_cur - 2;
    CHECK((ends[0] = dup2(ends[0], high)) == high && (ends[1] = dup2(ends[1], high + 1)) > high);
    hand_over(write_byte, read_byte);
}

static void write_vector(void)
{
    struct iovec parts[2] = {{"x", 1}, {"y", 1}};
    CHECK(writev(ends[1], parts, 2) == 2);
}

static void read_vector(void)
{
    char one, two;
    struct iovec parts[2] = {{&one, 1}, {&two, 1}};
    CHECK(readv(ends[0], parts, 2) == 2);
}

static void vectors(void)
{
    CHECK(pipe(ends) == 0);
    hand_over(write_vector, read_vector);
}

/* Wrong: the taker goes on with what was sent before, not with the end. */
static void *write_and_close(void *unused)
{
    CHECK(write(ends[1], "x", 1) == 1);
    data = 42;
    CHECK(close(ends[1]) == 0);
    return unused;
}

static void end(void)
{
    pthread_t thread;
    char byte;
    CHECK(pipe(ends) == 0);
    pthread_create(&thread, NULL, write_and_close, NULL);
    zoo_later();
    CHECK(read(ends[0], &byte, 1) == 1);
    if (!wrong)
        CHECK(read(ends[0], &byte, 1) == 0);
    take();
    pthread_join(thread, NULL);
}

static void close_copies(void)
{
    int copy = dup(ends[1]);
    close(ends[1]);
    close(copy);
}

static void read_end(void)
{
    char byte;
    CHECK(read(ends[0], &byte, 1) == 0);
}

static void end_of_a_copy(void)
{
    CHECK(pipe(ends) == 0);
    hand_over(close_copies, read_end);
}

static void wait_poll(void)
{
    struct pollfd one = {ends[0], POLLIN, 0};
    CHECK(poll(&one, 1, -1) == 1);
}

static void poll_only(void)
{
    CHECK(pipe(ends) == 0);
    hand_over(write_byte, wait_poll);
}

static void wait_select(void)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    CHECK(select(ends[0] + 1, &set, NULL, NULL, NULL) == 1);
}

static void select_only(void)
{
    CHECK(pipe(ends) == 0);
    hand_over(write_byte, wait_select);
}

static int set;

static void wait_epoll(void)
{
    struct epoll_event event;
    CHECK(epoll_wait(set, &event, 1, -1) == 1);
}

static void epoll_only(void)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = &ends};
    CHECK(pipe(ends) == 0 && (set = epoll_create1(0)) >= 0);
    CHECK(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
    hand_over(write_byte, wait_epoll);
}

/* Which of the two it was, only their readiness tells. */
static void epoll_same_data(void)
{
    struct epoll_event event = {.events = EPOLLIN};
    CHECK(pipe(ends) == 0 && pipe(ends_too) == 0 && (set = epoll_create1(0)) >= 0);
    CHECK(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
    CHECK(epoll_ctl(set, EPOLL_CTL_ADD, ends_too[0], &event) == 0);
    hand_over(write_byte, wait_epoll);
}

/* One thread at a time is told, and hands over to the next by arming it again. */
static void *serve(void *unused)
{
    struct epoll_event event;
    wait_epoll();
    data++; //@given
    event = (struct epoll_event){.events = EPOLLIN | EPOLLONESHOT, .data.fd = ends[0]};
    CHECK(epoll_ctl(set, EPOLL_CTL_MOD, ends[0], &event) == 0);
    if (wrong)
        data++;
    return unused;
}

static void epoll_rearmed(void)
{
    pthread_t threads[2];
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = 0};
    CHECK(pipe(ends) == 0 && (set = epoll_create1(0)) >= 0);
    event.data.fd = ends[0];
    CHECK(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
    write_byte();
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, serve, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    ZOO_SEES(data == 2);
}

static FILE *in, *out;

static void print(void)
{
    fprintf(out, "%d\n", 7);
    fflush(out);
}

static void get_character(void)
{
    CHECK(fgetc(in) == '7');
}

static void open_streams(void)
{
    CHECK(pipe(ends) == 0 && (in = fdopen(ends[0], "r")) && (out = fdopen(ends[1], "w")));
}

static void streams(void)
{
    open_streams();
    hand_over(print, get_character);
}

static void close_stream(void)
{
    fclose(out);
}

static void get_end(void)
{
    CHECK(fgetc(in) == EOF);
}

static void stream_closed(void)
{
    open_streams();
    hand_over(close_stream, get_end);
}

static void put_line(void)
{
    CHECK(fputs("a line\n", out) >= 0 && fflush(out) == 0);
}

static void get_line(void)
{
    char *line = NULL;
    size_t size = 0;
    CHECK(getline(&line, &size, in) == 7);
    free(line);
}

static void lines(void)
{
    open_streams();
    hand_over(put_line, get_line);
}

static void splice_and_read(void)
{
    char byte;
    CHECK(splice(ends[0], NULL, ends_too[1], NULL, 1, 0) == 1);
    CHECK(read(ends_too[0], &byte, 1) == 1);
}

static void spliced(void)
{
    CHECK(pipe(ends) == 0 && pipe(ends_too) == 0);
    hand_over(write_byte, splice_and_read);
}

/* The reading end travels through a socket, and comes out as another descriptor. */
static void passed_on(void)
{
    int pair[2], number;
    char byte = 'x', room[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    CHECK(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    memcpy(CMSG_DATA(head), &ends[0], sizeof(int));
    CHECK(sendmsg(pair[0], &message, 0) == 1 && recvmsg(pair[1], &message, 0) == 1);
    memcpy(&number, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof number);
    CHECK(number != ends[0] && close(ends[0]) == 0);
    ends[0] = number;
    hand_over(write_byte, read_byte);
}

static void close_reading(void)
{
    close(ends[0]);
}

static void write_in_vain(void)
{
    while (write(ends[1], "x", 1) == 1)
        usleep(100);
    CHECK(errno == EPIPE);
}

static void reader_gone(void)
{
    signal(SIGPIPE, SIG_IGN);
    CHECK(pipe(ends) == 0);
    hand_over(close_reading, write_in_vain);
}

/* What goes through one says nothing about the other. */
static void *write_other(void *unused)
{
    data = 42;
    CHECK(write(wrong ? ends_too[1] : ends[1], "x", 1) == 1);
    return unused;
}

static void two_pipes(void)
{
    pthread_t thread;
    CHECK(pipe(ends) == 0 && pipe(ends_too) == 0);
    if (wrong)
        write_byte();
    pthread_create(&thread, NULL, write_other, NULL);
    zoo_later();
    read_byte();
    take();
    pthread_join(thread, NULL);
}

/* Who has read the first of two messages does not come after the second. */
static void *write_twice(void *unused)
{
    write_byte();
    data = 42;
    write_byte();
    return unused;
}

static void second_message(void)
{
    pthread_t thread;
    CHECK(pipe(ends) == 0);
    pthread_create(&thread, NULL, write_twice, NULL);
    zoo_later();
    read_byte();
    if (!wrong)
        read_byte();
    take();
    pthread_join(thread, NULL);
}

/* Nor does who was told that there is something to read. */
static void told_of_the_first(void)
{
    pthread_t thread;
    CHECK(pipe(ends) == 0);
    pthread_create(&thread, NULL, write_twice, NULL);
    zoo_later();
    wait_poll();
    if (!wrong) {
        read_byte();
        read_byte();
    }
    take();
    pthread_join(thread, NULL);
}

/* More than can be told apart, in pieces that are none of the writer's. Wrong: the reader looks
 * into the slot behind those that it was told of. */
enum { SLOTS = 60 };
static int slots[SLOTS + 1];

static void *write_slots(void *unused)
{
    for (int i = 0; i < SLOTS; i++) {
        slots[i] = i + 1;
        CHECK(write(ends[1], "12345678", 8) == 8);
    }
    return unused;
}

static void many_messages(void)
{
    pthread_t thread;
    char room[23];
    CHECK(pipe(ends) == 0);
    pthread_create(&thread, NULL, write_slots, NULL);
    zoo_later();
    for (ssize_t got = 0, all = 0; all < SLOTS * 8; all += got) {
        CHECK((got = read(ends[0], room, sizeof room)) > 0);
        ssize_t told = (all + got + 7) / 8; /* also a part of one was written after its slot */
        for (ssize_t i = all / 8; i < told; i++)
            ZOO_SEES(slots[i] == i + 1);
        if (wrong && told < SLOTS && all == 0)
            slots[told]++;
    }
    pthread_join(thread, NULL);
}

/* Which of two gets what, nobody knows: both come after all that was written. */
static int given[2];

static void *read_one(void *unused)
{
    int *message;
    CHECK(read(ends[0], &message, sizeof message) == sizeof message);
    ++*message;
    if (wrong)
        data++;
    return unused;
}

static void two_readers(void)
{
    pthread_t threads[2];
    CHECK(pipe(ends) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, read_one, NULL);
    for (int i = 0; i < 2; i++) {
        int *message = &given[i];
        *message = 7;
        CHECK(write(ends[1], &message, sizeof message) == sizeof message);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    ZOO_SEES(given[0] == 8 && given[1] == 8);
}

/* A child takes one of the bytes, which nobody here sees. */
static void another_reads_along(void)
{
    pthread_t thread;
    CHECK(pipe(ends) == 0);
    write_byte();
    pid_t child = fork();
    if (child == 0) {
        char byte;
        _exit(read(ends[0], &byte, 1) == 1 ? 0 : 1);
    }
    CHECK(waitpid(child, NULL, 0) == child);
    void (*send)(void) = write_byte;
    pthread_create(&thread, NULL, giver, &send);
    read_byte();
    take();
    pthread_join(thread, NULL);
}

ZOO_MAIN({"pipe", pipe_case}, {"pointer", pointer}, {"named", named}, {"copies", copies},
         {"high_numbers", high_numbers}, {"vectors", vectors}, {"end", end},
         {"end_of_a_copy", end_of_a_copy}, {"poll_only", poll_only}, {"select_only", select_only},
         {"epoll_only", epoll_only}, {"epoll_same_data", epoll_same_data},
         {"epoll_rearmed", epoll_rearmed}, {"streams", streams}, {"stream_closed", stream_closed},
         {"lines", lines}, {"spliced", spliced}, {"passed_on", passed_on},
         {"reader_gone", reader_gone}, {"two_pipes", two_pipes}, {"second_message", second_message},
         {"told_of_the_first", told_of_the_first}, {"many_messages", many_messages},
         {"two_readers", two_readers}, {"another_reads_along", another_reads_along})
