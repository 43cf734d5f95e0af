// Sockets: each way of each connection by itself.
// build: -D_GNU_SOURCE
// case pair: race data
// case pair_of_datagrams: race data
// case tcp: race data
// case tcp_over_six: race data
// case local_connection: race data
// case datagram: race data
// case local_datagram: race data
// case messages: race data
// case accepted: race data
// case shut_down: race data
// case own_side_shut_down: race data
// case end: race data
// case two_connections: race data
// case two_local_connections: race data
// case two_datagram_sockets: race data
// case other_way: race data
// case closing_is_no_message: race data
// case answered: race data
// case second_message: race data
// case second_local_message: race data
#include "kernel.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

static int ends[2], others[2];

static void send_byte(void)
{
    CHECK(send(ends[1], "x", 1, 0) == 1);
}

static void receive_byte(void)
{
    char byte;
    CHECK(recv(ends[0], &byte, 1, 0) == 1);
}

static void pair(void)
{
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    hand_over(send_byte, receive_byte);
}

static void pair_of_datagrams(void)
{
    CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
    hand_over(send_byte, receive_byte);
}

union place {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    struct sockaddr_un local;
};

static union place place;
static socklen_t length;

static int listening(int family)
{
    int listener = socket(family, SOCK_STREAM, 0);
    memset(&place, 0, sizeof place);
    place.any.sa_family = (sa_family_t)family;
    length = family == AF_INET ? sizeof place.four : sizeof place.six;
    if (family == AF_INET)
        place.four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (family == AF_INET6)
        place.six.sin6_addr = in6addr_any;
    if (family == AF_UNIX) {
        /* An abstract name: no file. */
        length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
                             (size_t)snprintf(place.local.sun_path + 1, 50, "zoo %d", getpid()));
    }
    CHECK(listener >= 0 && bind(listener, &place.any, length) == 0 && listen(listener, 8) == 0);
    if (family != AF_UNIX)
        CHECK(getsockname(listener, &place.any, &length) == 0);
    return listener;
}

static int connected(int family)
{
    int made = socket(family, SOCK_STREAM, 0);
    CHECK(made >= 0 && connect(made, &place.any, length) == 0);
    return made;
}

static void connect_two(int family, int both[2], int listener)
{
    both[1] = connected(family);
    both[0] = accept(listener, NULL, NULL);
    CHECK(both[0] >= 0);
}

static void tcp(void)
{
    connect_two(AF_INET, ends, listening(AF_INET));
    hand_over(send_byte, receive_byte);
}

/* The listener has sixteen bytes of address, the other four. */
static void tcp_over_six(void)
{
    int listener = socket(AF_INET6, SOCK_STREAM, 0);
    if (listener < 0) { /* no such family here: nothing to show but the hand-over itself */
        pair();
        return;
    }
    close(listener);
    listener = listening(AF_INET6);
    in_port_t port = place.six.sin6_port;
    memset(&place, 0, sizeof place);
    place.four = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    length = sizeof place.four;
    ends[1] = connected(AF_INET);
    ends[0] = accept(listener, NULL, NULL);
    CHECK(ends[0] >= 0);
    hand_over(send_byte, receive_byte);
}

static int waiting;

static void connect_and_send(void)
{
    ends[1] = connected(AF_UNIX);
    send_byte();
}

static void accept_and_receive(void)
{
    CHECK((ends[0] = accept(waiting, NULL, NULL)) >= 0);
    receive_byte();
}

static void local_connection(void)
{
    waiting = listening(AF_UNIX);
    hand_over(connect_and_send, accept_and_receive);
}

static int bound(union place *at)
{
    int made = socket(AF_INET, SOCK_DGRAM, 0);
    socklen_t size = sizeof at->four;
    *at = (union place){.four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
    CHECK(made >= 0 && bind(made, &at->any, size) == 0 && getsockname(made, &at->any, &size) == 0);
    return made;
}

static void send_datagram(void)
{
    int from = socket(AF_INET, SOCK_DGRAM, 0);
    CHECK(sendto(from, "x", 1, 0, &place.any, sizeof place.four) == 1);
}

static void datagram(void)
{
    ends[0] = bound(&place);
    hand_over(send_datagram, receive_byte);
}

static void send_to_name(void)
{
    int from = socket(AF_UNIX, SOCK_DGRAM, 0);
    CHECK(sendto(from, "x", 1, 0, &place.any, length) == 1);
}

static void local_datagram(void)
{
    close(listening(AF_UNIX));
    place.local.sun_path[1] = 'Z';
    ends[0] = socket(AF_UNIX, SOCK_DGRAM, 0);
    CHECK(bind(ends[0], &place.any, length) == 0);
    hand_over(send_to_name, receive_byte);
}

static void send_messages(void)
{
    struct iovec part = {"x", 1};
    struct mmsghdr two[2] = {{{.msg_iov = &part, .msg_iovlen = 1}, 0},
                             {{.msg_iov = &part, .msg_iovlen = 1}, 0}};
    CHECK(sendmmsg(ends[1], two, 2, 0) == 2);
}

static void receive_messages(void)
{
    char byte;
    struct iovec part = {&byte, 1};
    struct mmsghdr one = {{.msg_iov = &part, .msg_iovlen = 1}, 0};
    CHECK(recvmmsg(ends[0], &one, 1, 0, NULL) == 1);
}

static void messages(void)
{
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
    hand_over(send_messages, receive_messages);
}

static void only_connect(void)
{
    connected(AF_INET);
}

static void only_accept(void)
{
    CHECK(accept4(waiting, NULL, NULL, SOCK_CLOEXEC) >= 0);
}

static void accepted(void)
{
    waiting = listening(AF_INET);
    hand_over(only_connect, only_accept);
}

static void shut(void)
{
    CHECK(shutdown(ends[1], SHUT_WR) == 0);
}

static void receive_end(void)
{
    char byte;
    CHECK(recv(ends[0], &byte, 1, 0) == 0);
}

static void shut_down(void)
{
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    hand_over(shut, receive_end);
}

/* How servers get their threads out of recv(). */
static void shut_here(void)
{
    zoo_later();
    CHECK(shutdown(ends[0], SHUT_RDWR) == 0);
}

static void own_side_shut_down(void)
{
    connect_two(AF_INET, ends, listening(AF_INET));
    hand_over(shut_here, receive_end);
}

static void close_end(void)
{
    CHECK(close(ends[1]) == 0);
}

static void end(void)
{
    connect_two(AF_INET, ends, listening(AF_INET));
    hand_over(close_end, receive_end);
}

/* A thread for each connection; wrong: they share a counter, and nothing orders them but the
 * time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *serve(void *connection)
{
    int number = *(int *)connection;
    char byte;
    CHECK(recv(number, &byte, 1, 0) == 1);
    if (!wrong)
        pthread_mutex_lock(&lock);
    data++;
    if (!wrong)
        pthread_mutex_unlock(&lock);
    CHECK(send(number, &byte, 1, 0) == 1);
    close(number);
    return NULL;
}

static void talk_to_both(int family, int listener)
{
    pthread_t threads[2];
    int both[2][2];
    char byte;
    for (int i = 0; i < 2; i++) {
        connect_two(family, both[i], listener);
        pthread_create(&threads[i], NULL, serve, &both[i][0]);
    }
    for (int i = 0; i < 2; i++) {
        CHECK(send(both[i][1], "x", 1, 0) == 1);
        zoo_later();
    }
    for (int i = 0; i < 2; i++)
        CHECK(recv(both[i][1], &byte, 1, 0) == 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    ZOO_SEES(data == 2);
}

static void two_connections(void)
{
    talk_to_both(AF_INET, listening(AF_INET));
}

static void two_local_connections(void)
{
    talk_to_both(AF_UNIX, listening(AF_UNIX));
}

/* Each with a socket that talks only to itself. */
static void *to_oneself(void *later)
{
    union place own;
    char byte = 'x';
    if (later)
        zoo_later();
    int made = bound(&own);
    CHECK(sendto(made, &byte, 1, 0, &own.any, sizeof own.four) == 1);
    CHECK(recv(made, &byte, 1, 0) == 1);
    if (!wrong)
        pthread_mutex_lock(&lock);
    data++;
    if (!wrong)
        pthread_mutex_unlock(&lock);
    return NULL; /* the socket stays open: its number, given again, would be an order */
}

static void two_datagram_sockets(void)
{
    pthread_t threads[2];
    for (size_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, to_oneself, i ? &place : NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    ZOO_SEES(data == 2);
}

/* What is sent on an end does not come out of the same end. */
static void *send_on_own_end(void *unused)
{
    data = 42;
    CHECK(send(ends[wrong ? 0 : 1], "x", 1, 0) == 1);
    return unused;
}

static void other_way(void)
{
    pthread_t thread;
    connect_two(AF_INET, ends, listening(AF_INET));
    if (wrong)
        send_byte();
    pthread_create(&thread, NULL, send_on_own_end, NULL);
    zoo_later();
    receive_byte();
    take();
    pthread_join(thread, NULL);
}

/* It says that all is over; who hears something else has not heard that. */
static void *send_and_close(void *unused)
{
    send_byte();
    data = 42;
    close(ends[1]);
    return unused;
}

static void closing_is_no_message(void)
{
    pthread_t thread;
    connect_two(AF_INET, ends, listening(AF_INET));
    pthread_create(&thread, NULL, send_and_close, NULL);
    zoo_later();
    receive_byte();
    if (!wrong)
        receive_end();
    take();
    pthread_join(thread, NULL);
}

/* Another process answers what it was asked: the answer comes after the question. Wrong: it is
 * the answer to an earlier one. */
static void *ask(void *unused)
{
    if (wrong)
        send_byte();
    data = 42;
    if (!wrong)
        send_byte();
    return unused;
}

static void answered(void)
{
    pthread_t thread;
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, others) == 0);
    ends[0] = ends[1] = others[0];
    pid_t child = fork();
    if (child == 0) {
        char byte;
        _exit(read(others[1], &byte, 1) == 1 && write(others[1], &byte, 1) == 1 ? 0 : 1);
    }
    close(others[1]);
    pthread_create(&thread, NULL, ask, NULL);
    if (wrong)
        zoo_later();
    receive_byte();
    take();
    pthread_join(thread, NULL);
    CHECK(waitpid(child, NULL, 0) == child);
}

/* Who has received the first of two messages does not come after the second. */
static void *send_twice(void *unused)
{
    send_byte();
    data = 42;
    send_byte();
    return unused;
}

static void receive_first_of_two(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, send_twice, NULL);
    zoo_later();
    receive_byte();
    if (!wrong)
        receive_byte();
    take();
    pthread_join(thread, NULL);
}

static void second_message(void)
{
    connect_two(AF_INET, ends, listening(AF_INET));
    receive_first_of_two();
}

static void second_local_message(void)
{
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    receive_first_of_two();
}

ZOO_MAIN({"pair", pair}, {"pair_of_datagrams", pair_of_datagrams}, {"tcp", tcp},
         {"tcp_over_six", tcp_over_six}, {"local_connection", local_connection},
         {"datagram", datagram}, {"local_datagram", local_datagram}, {"messages", messages},
         {"accepted", accepted}, {"shut_down", shut_down},
         {"own_side_shut_down", own_side_shut_down}, {"end", end},
         {"two_connections", two_connections}, {"two_local_connections", two_local_connections},
         {"two_datagram_sockets", two_datagram_sockets}, {"other_way", other_way},
         {"closing_is_no_message", closing_is_no_message}, {"answered", answered},
         {"second_message", second_message}, {"second_local_message", second_local_message})
