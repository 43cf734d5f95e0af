// bounded buffer with semaphores; two consumers share `out` without a lock
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#define N 4
static int buf[N], in, out, sum;
static sem_t empty, full;
static void *producer(void *a)
{
    (void)a;
    for (int i = 0; i < 8; i++) {
        sem_wait(&empty);
        buf[in] = i;
        in = (in + 1) % N;
        sem_post(&full);
    }
    return 0;
}
static void *consumer(void *a)
{
    (void)a;
    for (int i = 0; i < 4; i++) {
        sem_wait(&full);
        sum += buf[out];
        out = (out + 1) % N;
        sem_post(&empty);
    }
    return 0;
}
int main(void)
{
    pthread_t p, c[2];
    sem_init(&empty, 0, N);
    sem_init(&full, 0, 0);
    pthread_create(&p, 0, producer, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&c[i], 0, consumer, 0);
    pthread_join(p, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(c[i], 0);
    printf("%d\n", sum);
}
