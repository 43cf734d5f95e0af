// What is kept by the number of a descriptor: the kernel gives one again only once it was closed.
// build: -D_GNU_SOURCE
// case opened: race kept
// case accepted: race kept
// case duplicated: race kept
// case by_number_alone: race data
#include "kernel.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>

extern int kept[64];
int kept[64]; /* users by descriptor; known outside, so that no compiler moves its use over a call
               */

static int listener, copied;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int open_one(void)
{
    int number = open("/dev/null", O_RDONLY);
    CHECK(number >= 0 && number < 64);
    return number;
}

static int duplicate_one(void)
{
    int number = dup(copied);
    CHECK(number >= 0 && number < 64);
    return number;
}

static int accept_one(void)
{
    int number = accept(listener, NULL, NULL);
    CHECK(number >= 0 && number < 64);
    return number;
}

/* Wrong: it closes first, and then goes on using what belongs to the number. */
static void *use(void *get)
{
    int number = (*(int (**)(void))get)();
    ZOO_SEES(kept[number] == 0);
    kept[number] = 1;
    if (wrong)
        close(number);
    kept[number] = 0;
    if (!wrong)
        close(number);
    return NULL;
}

static void use_twice(int (*get)(void))
{
    pthread_t thread;
    pthread_create(&thread, NULL, use, &get);
    zoo_later();
    use(&get);
    pthread_join(thread, NULL);
}

static void opened(void)
{
    use_twice(open_one);
}

static void duplicated(void)
{
    copied = open_one();
    use_twice(duplicate_one);
}

/* Two clients wait to be accepted all the time. */
static void accepted(void)
{
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof place;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(listener, (struct sockaddr *)&place, length) == 0);
    CHECK(listen(listener, 4) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&place, &length) == 0);
    for (int i = 0; i < 2; i++) {
        int client = socket(AF_INET, SOCK_STREAM, 0);
        CHECK(connect(client, (struct sockaddr *)&place, length) == 0);
    }
    use_twice(accept_one);
}

/* Both use the same data, whatever number they get: that one came after the other's close is luck.
 */
static void *count_one(void *unused)
{
    int number = open_one();
    if (!wrong)
        pthread_mutex_lock(&lock);
    data++;
    if (!wrong)
        pthread_mutex_unlock(&lock);
    close(number);
    return unused;
}

static void by_number_alone(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, count_one, NULL);
    zoo_later();
    count_one(NULL);
    pthread_join(thread, NULL);
}

ZOO_MAIN({"opened", opened}, {"accepted", accepted}, {"duplicated", duplicated},
         {"by_number_alone", by_number_alone})
