// A token that one thread takes and another gives back, when it gets to it.
#include "hang.h"
static sem_t token;
static void *give(void *unused)
{
    pause();
    sem_post(&token);
    return unused;
}
int main(void)
{
    sem_init(&token, 0, 1);
    pthread_t thread = start(give);
    sem_wait(&token);
    sem_wait(&token);
    finish(thread);
}
