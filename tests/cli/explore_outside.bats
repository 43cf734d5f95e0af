# preplay explore: threads that wait for files, pipes, sockets, signals. While one does, others run.

setup() {
    cd "$BATS_TEST_TMPDIR"
}

@test "explore: a thread that reads from a pipe lets the one run that writes to it" {
    cat >pipe.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
static int there[2], back[2];
static _Atomic int x;
static void *answer(void *argument)
{
    char byte;
    if (read(there[0], &byte, 1) != 1)
        return NULL;
    x = BAD;
    x = 2;
    static char large[200000]; /* more than a pipe holds */
    memset(large, 'x', sizeof large);
    return write(back[1], large, sizeof large) == sizeof large ? argument : NULL;
}
int main(void)
{
    pthread_t thread;
    char block[1000];
    size_t all = 0;
    if (pipe(there) || pipe(back) || pthread_create(&thread, NULL, answer, NULL) ||
        write(there[1], "x", 1) != 1)
        return 1;
    assert(x != 1);
    while (all < 200000)
        all += (size_t)read(back[0], block, sizeof block);
    pthread_join(thread, NULL);
    return x == 2 ? 0 : 1;
}
END
    "$PREPLAY" cc -g -DBAD=1 pipe.c -o pipe
    "$PREPLAY" cc -g -DBAD=0 pipe.c -o pipe-right
    run "$PREPLAY" explore --runs 20 --until-failure ./pipe
    echo "$output"
    [ "$status" -eq 66 ]
    [[ "$output" == *": main: Assertion \`x != 1' failed"* && "$output" != *"stood still"* ]]
    run "$PREPLAY" replay preplay.data
    [ "$status" -eq 0 ]
    run "$PREPLAY" explore --runs 20 ./pipe-right
    echo "$output"
    [ "$status" -ne 66 ]
    [[ "$output" == *"none fails"* && "$output" != *"stood still"* ]]
}

@test "explore: threads that wait for a pipe that nobody writes to are a deadlock" {
    cat >silent.c <<'END'
#include <poll.h>
#include <pthread.h>
#include <unistd.h>
static int ends[2];
static void *hear(void *argument)
{
    char byte;
    struct pollfd one = {.fd = ends[0], .events = POLLIN};
    poll(&one, 1, -1);
    return read(ends[0], &byte, 1) == 1 ? argument : NULL;
}
int main(void)
{
    pthread_t thread;
    if (pipe(ends) || pthread_create(&thread, NULL, hear, NULL))
        return 1;
    pthread_join(thread, NULL);
    return 0;
}
END
    "$PREPLAY" cc -g silent.c -o silent
    run "$PREPLAY" explore --runs 3 ./silent
    echo "$output"
    [ "$status" -eq 66 ]
    [[ "$output" == *"DEADLOCK"*"silent.c:9"* && "$output" != *"stood still"* ]]
}

@test "explore: sockets, poll, select and epoll of a server and its clients" {
    cat >server.c <<'END'
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>
static struct sockaddr_in where = {.sin_family = AF_INET};
static _Atomic int sum;
static int wait_by(int way, int file)
{
    struct pollfd one = {.fd = file, .events = POLLIN};
    struct epoll_event event = {.events = EPOLLIN};
    fd_set set;
    int poller;
    switch (way) {
    case 0:
        return poll(&one, 1, -1);
    case 1:
        FD_ZERO(&set);
        FD_SET(file, &set);
        return select(file + 1, &set, NULL, NULL, NULL);
    case 2:
        poller = epoll_create1(0);
        epoll_ctl(poller, EPOLL_CTL_ADD, file, &event);
        return epoll_wait(poller, &event, 1, -1);
    default:
        return 1;
    }
}
static void *ask(void *argument)
{
    int file = socket(AF_INET, SOCK_STREAM, 0), number = (int)(long)argument, answer = 0;
    if (connect(file, (struct sockaddr *)&where, sizeof where) ||
        send(file, &number, sizeof number, 0) != sizeof number)
        return NULL;
    if (wait_by(number, file) != 1 ||
        recv(file, &answer, sizeof answer, MSG_WAITALL) != sizeof answer)
        return NULL;
    sum += answer;
    close(file);
    return NULL;
}
static void *serve(void *argument)
{
    for (int i = 0; i < 4; i++) {
        int file = accept((int)(long)argument, NULL, NULL), number = 0;
        if (recv(file, &number, sizeof number, MSG_WAITALL) != sizeof number)
            return NULL;
        number++;
        for (int k = 0; k < (int)sizeof number; k++) /* in pieces */
            if (write(file, (char *)&number + k, 1) != 1)
                return NULL;
        close(file);
    }
    return NULL;
}
int main(void)
{
    pthread_t threads[4], server;
    socklen_t size = sizeof where;
    int file = socket(AF_INET, SOCK_STREAM, 0);
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(file, (struct sockaddr *)&where, sizeof where) || listen(file, 8) ||
        getsockname(file, (struct sockaddr *)&where, &size))
        return 2;
    pthread_create(&server, NULL, serve, (void *)(long)file);
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, ask, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    pthread_join(server, NULL);
    return sum == 10 ? 0 : 3;
}
END
    "$PREPLAY" cc -g server.c -o server
    run "$PREPLAY" explore --runs 20 ./server
    echo "$output"
    [ "$status" -ne 66 ]
    [[ "$output" == *"none fails"*"is no choice yet"* && "$output" != *"stood still"* ]]
}

@test "explore: time limits and sleeps by poll and select cost nothing" {
    cat >limits.c <<'END'
#include <poll.h>
#include <pthread.h>
#include <sys/select.h>
#include <unistd.h>
static int ends[2];
static _Atomic int x;
static void *late(void *argument)
{
    poll(NULL, 0, 1000 * 1000);
    select(0, NULL, NULL, NULL, &(struct timeval){.tv_sec = 1000});
    x = 1;
    return write(ends[1], "x", 1) == 1 ? argument : NULL;
}
int main(void)
{
    struct pollfd one = {.events = POLLIN};
    pthread_t thread;
    if (pipe(ends) || pthread_create(&thread, NULL, late, NULL))
        return 1;
    one.fd = ends[0];
    int code = poll(&one, 1, 1000) < 0 || poll(&one, 1, -1) != 1 || x != 1 ? 2 : 0;
    pthread_join(thread, NULL);
    return code;
}
END
    "$PREPLAY" cc -g limits.c -o limits
    run "$PREPLAY" explore --runs 3 ./limits
    echo "$output"
    [ "$status" -ne 66 ]
    [[ "$output" == *"none fails"* && "$output" != *"stood still"* ]]
}

@test "explore: a child is waited for by one thread while others run, and a signal to the program" {
    cat >child.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static sigset_t set;
static int go[2];
static void *wait_for_it(void *argument)
{
    int number = 0;
    sigwait(&set, &number);
    return number == SIGUSR1 && write(go[1], "x", 1) == 1 ? argument : NULL;
}
static void *send(void *argument)
{
    usleep(10);
    kill(getpid(), SIGUSR1);
    return argument;
}
int main(void)
{
    pthread_t threads[2];
    char byte;
    int status;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (pipe(go))
        return 1;
    pid_t child = fork();
    if (!child)
        _exit(read(go[0], &byte, 1) == 1 ? 7 : 8);
    pthread_create(&threads[0], NULL, wait_for_it, NULL);
    pthread_create(&threads[1], NULL, send, NULL);
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
        return 2;
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
END
    "$PREPLAY" cc -g child.c -o child
    run "$PREPLAY" explore --runs 3 ./child
    echo "$output"
    [ "$status" -ne 66 ]
    [[ "$output" == *"none fails"* && "$output" != *"stood still"* ]]
}

@test "explore: a program that serves for ever is ended" {
    cat >serves.c <<'END'
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
static _Atomic int ticks;
static void *look(void *argument) { return ticks < 0 ? NULL : argument; }
int main(void)
{
    pthread_t thread;
    struct pollfd one = {.fd = socket(AF_INET, SOCK_STREAM, 0), .events = POLLIN};
    listen(one.fd, 1);
    pthread_create(&thread, NULL, look, NULL);
    while (poll(&one, 1, 100) == 0)
        ticks++;
    return 0;
}
END
    "$PREPLAY" cc -g serves.c -o serves
    run timeout 300 "$PREPLAY" explore --time 1 ./serves
    echo "$output"
    [ "$status" -eq 67 ]
    [[ "$output" == *"none fails"*"did not end in time, and was ended"* ]]
}

@test "explore: who reads from a pipe, a socket or an eventfd does so after who wrote" {
    cat >hand.c <<'END'
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
static int ends[2], pair[2], event;
static int first, second, third, wrong;
static void *hear(void *argument)
{
    char byte;
    uint64_t count;
    if (read(ends[0], &byte, 1) != 1)
        return NULL;
    first++;
    if (recv(pair[1], &byte, 1, 0) != 1)
        return NULL;
    second++;
    if (read(event, &count, sizeof count) != sizeof count)
        return NULL;
    third++;
    wrong++;
    return argument;
}
int main(void)
{
    pthread_t thread;
    uint64_t one = 1;
    if (pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || (event = eventfd(0, 0)) < 0)
        return 1;
    pthread_create(&thread, NULL, hear, NULL);
    first = 1;
    if (write(ends[1], "x", 1) != 1)
        return 2;
    second = 1;
    if (send(pair[0], "x", 1, 0) != 1)
        return 3;
    third = 1;
    if (write(event, &one, sizeof one) != sizeof one)
        return 4;
    wrong = 1;
    pthread_join(thread, NULL);
    return 0;
}
END
    "$PREPLAY" cc -g hand.c -o hand
    run "$PREPLAY" explore --runs 20 ./hand
    echo "$output"
    [ "$status" -eq 66 ]
    [[ "$output" == *"DATA RACE"*" on wrong: "*"none fails, 1 race"* ]]
    [[ "$output" != *" on first"* && "$output" != *" on second"* && "$output" != *" on third"* ]]
}

@test "explore: a signal that comes before the thread that waits for it" {
    cat >early.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static sigset_t set;
static void *wait_for_it(void *argument)
{
    int number = 0;
    sigwait(&set, &number);
    return number == SIGUSR1 ? argument : NULL;
}
int main(void)
{
    pthread_t thread;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, wait_for_it, NULL);
    usleep(10); /* others first, at the next operation */
    kill(getpid(), SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
END
    "$PREPLAY" cc -g early.c -o early
    run "$PREPLAY" explore --runs 3 ./early
    echo "$output"
    [ "$status" -ne 66 ]
    [[ "$output" == *"none fails"* ]]
}
