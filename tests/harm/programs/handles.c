/* Handles that are no thread's: the C library answers ESRCH to some of them. */
#include <pthread.h>
#include <stdio.h>

int main(void)
{
    pthread_t nobody = 0;
    printf("join %d\n", pthread_join(nobody, NULL));
    return 0;
}
