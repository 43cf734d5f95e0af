/* talks PORT listen: serves one client, a thread of its own. talks PORT: is a client of somebody
 * else. A race hides behind a lock in both. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int found, passed;
static struct sockaddr_in address;

static void must(int result, const char *what)
{
    if (result < 0) {
        perror(what);
        exit(9);
    }
}

static void call(void)
{
    int line = socket(AF_INET, SOCK_STREAM, 0);
    must(connect(line, (struct sockaddr *)&address, sizeof address), "connect");
    must((int)write(line, "x", 1), "write");
    close(line);
}

static void *client(void *unused)
{
    call();
    return unused;
}

static void serve(void)
{
    pthread_t thread;
    int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    must(bind(listener, (struct sockaddr *)&address, sizeof address), "bind");
    must(listen(listener, 1), "listen");
    pthread_create(&thread, NULL, client, NULL);
    int line = accept(listener, NULL, NULL);
    char byte;
    must(line, "accept");
    must((int)read(line, &byte, 1), "read");
    close(line);
    close(listener);
    pthread_join(thread, NULL);
}

static void *other(void *unused)
{
    found = 1;
    pthread_mutex_lock(&lock);
    passed++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(int count, char **words)
{
    pthread_t thread;
    address.sin_family = AF_INET;
    address.sin_port = htons((unsigned short)atoi(words[1]));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (count > 2)
        serve();
    else
        call();
    pthread_create(&thread, NULL, other, NULL);
    usleep(100000);
    pthread_mutex_lock(&lock);
    passed++;
    pthread_mutex_unlock(&lock);
    printf("%d\n", found);
    return pthread_join(thread, NULL);
}
