/* A fixed load for libmosquitto: two clients, each with the library's own thread, publish to each
 * other. */
#include <mosquitto.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { messages = 100 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all = PTHREAD_COND_INITIALIZER;
static int received;

static void on_connect(struct mosquitto *client, void *unused, int code)
{
    (void)unused, (void)code;
    mosquitto_subscribe(client, NULL, "test/#", 1);
}

static void on_message(struct mosquitto *client, void *unused,
                       const struct mosquitto_message *message)
{
    (void)client, (void)unused, (void)message;
    pthread_mutex_lock(&mutex);
    received++;
    pthread_cond_signal(&all);
    pthread_mutex_unlock(&mutex);
}

int main(int count, char **arguments)
{
    struct mosquitto *clients[2];
    int port = count > 1 ? atoi(arguments[1]) : 1883;
    mosquitto_lib_init();
    for (int i = 0; i < 2; i++) {
        clients[i] = mosquitto_new(NULL, true, NULL);
        mosquitto_connect_callback_set(clients[i], on_connect);
        mosquitto_message_callback_set(clients[i], on_message);
        int tries = 3000; /* the broker may be about to start */
        while (mosquitto_connect(clients[i], "127.0.0.1", port, 60) && --tries)
            usleep(20000);
        mosquitto_loop_start(clients[i]);
    }
    usleep(200000);
    for (int i = 0; i < messages; i++)
        mosquitto_publish(clients[i % 2], NULL, "test/a", 5, "hello", 1, false);
    pthread_mutex_lock(&mutex);
    while (received < messages)
        pthread_cond_wait(&all, &mutex);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 2; i++) {
        mosquitto_disconnect(clients[i]);
        mosquitto_loop_stop(clients[i], false);
        mosquitto_destroy(clients[i]);
    }
    mosquitto_lib_cleanup();
    puts("done");
    return 0;
}
