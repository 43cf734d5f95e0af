// check-then-act through two locked calls; -O2
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long balance = 100;
static long get_balance(void)
{
    pthread_mutex_lock(&m);
    long b = balance;
    pthread_mutex_unlock(&m);
    return b;
}
static void take(long n)
{
    pthread_mutex_lock(&m);
    balance -= n;
    pthread_mutex_unlock(&m);
}
static int withdraw(long n)
{
    if (get_balance() < n)
        return 0;
    take(n);
    return 1;
}
static void *customer(void *a)
{
    usleep((long)a * 50000);
    withdraw(40);
    return 0;
}
int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, customer, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    printf("balance %ld\n", get_balance());
}
