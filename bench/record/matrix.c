/* A matrix product, its rows divided among threads: array code, no locks. */
#include <pthread.h>
#include <stdio.h>

enum { N = 420, THREADS = 2 };
static double a[N][N], b[N][N], c[N][N];

static void *rows(void *argument)
{
    long part = (long)argument;
    for (int i = (int)part; i < N; i += THREADS)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = i - j;
            b[i][j] = i + j;
        }
    for (long t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, rows, (void *)t);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    printf("%g\n", c[7][11]);
    return 0;
}
