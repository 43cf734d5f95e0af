// case freed: free-held observed lock free
// case again: init-held observed lock_again init
// case unlocked: nothing
// case anew: nothing
// The memory of a lock is freed, or initialised anew, while a thread holds the lock.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct account {
    long balance;
    pthread_mutex_t lock;
};

static void *deposit(void *account)
{
    struct account *mine = account;
    pthread_mutex_lock(&mine->lock);
    mine->balance++;
    pthread_mutex_unlock(&mine->lock);
    return NULL;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "unlocked";
    struct account *account = calloc(1, sizeof *account);
    pthread_t thread;
    pthread_mutex_init(&account->lock, NULL);
    pthread_create(&thread, NULL, deposit, account);
    pthread_join(thread, NULL);
    if (strcmp(name, "freed") == 0)
        pthread_mutex_lock(&account->lock); //@lock
    if (strcmp(name, "again") == 0) {
        pthread_mutex_lock(&account->lock);       //@lock_again
        pthread_mutex_init(&account->lock, NULL); //@init
    }
    if (strcmp(name, "anew") == 0) {
        pthread_mutex_destroy(&account->lock);
        pthread_mutex_init(&account->lock, NULL);
        deposit(account);
    }
    free(account); //@free
    return 0;
}
