// deadlock: A B
#include "hang.h"
static sem_t a, b;
static void *one(void *unused)
{
    sem_wait(&a);
    meet(2);
    sem_wait(&b); //@A
    sem_post(&b);
    sem_post(&a);
    return unused;
}
int main(void)
{
    sem_init(&a, 0, 1);
    sem_init(&b, 0, 1);
    pthread_t thread = start(one);
    sem_wait(&b);
    meet(2);
    sem_wait(&a); //@B
    sem_post(&a);
    sem_post(&b);
    finish(thread);
}
