/* expect: use-after-free */
#include "late.h"
struct connection {
    int file, bytes;
};
static struct connection *connection;
static void *serve(void *unused)
{
    connection->bytes += 10;
    say("served");
    return unused;
}
int main(void)
{
    connection = calloc(1, sizeof *connection);
    pthread_t thread = begin(serve);
    do_other_things();
    JOIN_IF_RIGHT(thread);
    say("reap");
    free(connection);
    JOIN_IF_WRONG(thread);
}
