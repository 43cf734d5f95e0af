/* A reduction of aget 0.4: a file is fetched in pieces by several threads, each over a connection
   of its own. The count of bytes written is guarded where the workers add to it, and read without
   the lock by the progress bar; the offsets of the pieces are written by the workers and read,
   unguarded, by the thread that saves the state when the user interrupts. */
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { workers = 4, piece = 40000, block = 4096 };

struct request {
    int port;
    int number;
    long offset;
};

static struct request requests[workers];
static pthread_mutex_t bwritten_mutex = PTHREAD_MUTEX_INITIALIZER;
static long bwritten;
static char file[workers * piece];

static int open_socket(int port)
{
    int s = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in where = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(s, (struct sockaddr *)&where, sizeof where) < 0)
        exit(1);
    return s;
}

static void *http_get(void *argument)
{
    struct request *r = argument;
    char buffer[block];
    int s = open_socket(r->port);
    send(s, &r->number, sizeof r->number, 0);
    for (ssize_t got; (got = recv(s, buffer, sizeof buffer, 0)) > 0;) {
        memcpy(file + r->offset, buffer, (size_t)got);
        r->offset += got;
        pthread_mutex_lock(&bwritten_mutex);
        bwritten += got;
        pthread_mutex_unlock(&bwritten_mutex);
    }
    close(s);
    return NULL;
}

/* The other side: sends the piece that is asked for. */
static void *answer(void *argument)
{
    int s = (int)(long)argument, number;
    char buffer[block];
    recv(s, &number, sizeof number, MSG_WAITALL);
    memset(buffer, 'a' + number, sizeof buffer);
    for (long left = piece; left > 0; left -= block)
        send(s, buffer, (size_t)(left < block ? left : block), MSG_NOSIGNAL);
    close(s);
    return NULL;
}

static void *serve(void *argument)
{
    int l = (int)(long)argument;
    pthread_t threads[workers];
    for (int i = 0; i < workers; i++)
        pthread_create(&threads[i], NULL, answer, (void *)(long)accept(l, NULL, NULL));
    for (int i = 0; i < workers; i++)
        pthread_join(threads[i], NULL);
    return NULL;
}

static void save_log(void)
{
    long offsets[workers];
    for (int i = 0; i < workers; i++)
        offsets[i] = requests[i].offset;
    fprintf(stderr, "saved at %ld\n", offsets[0]);
}

static void *signal_waiter(void *argument)
{
    sigset_t set;
    int got;
    (void)argument;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigwait(&set, &got);
    save_log();
    return NULL;
}

static void update_progress_bar(void)
{
    for (int i = 0; i < 3; i++) {
        fprintf(stderr, "[%ld of %d]\n", bwritten, workers * piece);
        usleep(1000);
    }
}

int main(void)
{
    sigset_t set;
    pthread_t threads[workers], waiter, server;
    struct sockaddr_in where = {.sin_family = AF_INET};
    socklen_t size = sizeof where;
    int l = socket(AF_INET, SOCK_STREAM, 0);
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(l, (struct sockaddr *)&where, sizeof where) < 0 || listen(l, workers) < 0 ||
        getsockname(l, (struct sockaddr *)&where, &size) < 0)
        return 1;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&waiter, NULL, signal_waiter, NULL);
    pthread_create(&server, NULL, serve, (void *)(long)l);
    for (int i = 0; i < workers; i++) {
        requests[i] = (struct request){ntohs(where.sin_port), i, (long)i * piece};
        pthread_create(&threads[i], NULL, http_get, &requests[i]);
    }
    update_progress_bar();
    kill(getpid(), SIGINT);
    for (int i = 0; i < workers; i++)
        pthread_join(threads[i], NULL);
    pthread_join(waiter, NULL);
    pthread_join(server, NULL);
    printf("%ld bytes\n", bwritten);
    return 0;
}
