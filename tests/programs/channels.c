// What goes through event counters, sockets, duplicates and epoll orders the two sides.
// count 5: w(data
// hb: none
#include <arpa/inet.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int counter, watched, set, copies[2], listener, local;
struct sockaddr_in address;
struct sockaddr_un name;
struct {
    int event, copy, tcp, unix_socket, epoll;
} data;

static int talk(int family, struct sockaddr *to, socklen_t length)
{
    int descriptor = socket(family, SOCK_STREAM, 0);
    if (connect(descriptor, to, length))
        return 1;
    int failed = send(descriptor, "x", 1, 0) != 1;
    return close(descriptor) || failed;
}

static void *run(void *unused)
{
    uint64_t one = 1;
    data.event = 1;
    if (write(counter, &one, sizeof one) != sizeof one)
        return &data;
    data.copy = 1;
    if (write(copies[1], "x", 1) != 1)
        return &data;
    data.tcp = 1;
    if (talk(AF_INET, (struct sockaddr *)&address, sizeof address))
        return &data;
    data.unix_socket = 1;
    if (talk(AF_UNIX, (struct sockaddr *)&name, sizeof name))
        return &data;
    data.epoll = 1;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = watched};
    if (epoll_ctl(set, EPOLL_CTL_ADD, watched, &event))
        return &data;
    return unused;
}

static int hear(int from)
{
    char byte;
    int descriptor = accept(from, NULL, NULL);
    int failed = descriptor < 0 || recv(descriptor, &byte, 1, 0) != 1;
    close(descriptor);
    return failed;
}

static int prepare(void)
{
    int ends[2];
    socklen_t length = sizeof address;
    counter = eventfd(0, 0);
    watched = eventfd(1, 0);
    set = epoll_create1(0);
    if (pipe(ends))
        return 1;
    copies[0] = dup(ends[0]);
    copies[1] = dup2(ends[1], 200);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    local = socket(AF_UNIX, SOCK_STREAM, 0);
    name.sun_family = AF_UNIX;
    name.sun_path[1] = 'p'; /* no file: an abstract name */
    *(int *)(void *)(name.sun_path + 4) = getpid();
    return bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1) ||
           getsockname(listener, (struct sockaddr *)&address, &length) ||
           bind(local, (struct sockaddr *)&name, sizeof name) || listen(local, 1);
}

int main(void)
{
    pthread_t thread;
    uint64_t count;
    char byte;
    int sum = 0;
    struct epoll_event event;
    if (prepare())
        return 1;
    pthread_create(&thread, NULL, run, NULL);
    if (read(counter, &count, sizeof count) != sizeof count)
        return 2;
    sum += data.event;
    if (read(copies[0], &byte, 1) != 1)
        return 3;
    sum += data.copy;
    if (hear(listener))
        return 4;
    sum += data.tcp;
    if (hear(local))
        return 5;
    sum += data.unix_socket;
    if (epoll_wait(set, &event, 1, -1) != 1)
        return 6;
    sum += data.epoll;
    void *failed;
    pthread_join(thread, &failed);
    return failed || sum != 5 ? 7 : 0;
}
