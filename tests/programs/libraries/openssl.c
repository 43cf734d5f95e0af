// OpenSSL: its locks, its things done once, and hashing in several threads at a time.
// package: libcrypto
// case locks: race value
// case once: race value
// case hashes: race value
#include "zoo.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>

static int value;
static CRYPTO_RWLOCK *lock;

static void by_two(void *(*run)(void *))
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, run, NULL);
    pthread_create(&threads[1], NULL, run, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

static void *count(void *unused)
{
    for (int i = 0; i < 10; i++) {
        CRYPTO_THREAD_read_lock(lock);
        if (wrong)
            value++;
        ZOO_SEES(value >= 0);
        CRYPTO_THREAD_unlock(lock);
        CRYPTO_THREAD_write_lock(lock);
        value++;
        CRYPTO_THREAD_unlock(lock);
    }
    return unused;
}

static void locks(void)
{
    lock = CRYPTO_THREAD_lock_new();
    by_two(count);
    CRYPTO_THREAD_lock_free(lock);
}

static CRYPTO_ONCE once_flag = CRYPTO_ONCE_STATIC_INIT;

static void make(void)
{
    value = 5;
}

static void *use_once(void *unused)
{
    CRYPTO_THREAD_run_once(&once_flag, make);
    if (wrong)
        value++;
    ZOO_SEES(value == 5);
    return unused;
}

static void once(void)
{
    by_two(use_once);
}

static void *hash(void *unused)
{
    unsigned char out[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    for (int i = 0; i < 5; i++) {
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        EVP_DigestInit_ex(context, EVP_sha256(), NULL);
        EVP_DigestUpdate(context, "text", 4);
        EVP_DigestFinal_ex(context, out, &length);
        EVP_MD_CTX_free(context);
        ZOO_SEES(length == 32);
        if (wrong)
            value++;
    }
    return unused;
}

static void hashes(void)
{
    by_two(hash);
}

ZOO_MAIN({"locks", locks}, {"once", once}, {"hashes", hashes})
