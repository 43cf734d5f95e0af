/* SPDX-License-Identifier: MIT */
#include "base/team.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { JOBS_MAX = 256 };

struct team {
    pthread_t threads[JOBS_MAX];
    uint32_t others; /* threads beside the caller */
    pthread_mutex_t mutex;
    pthread_cond_t something_to_do, all_done;
    void (*piece)(void *context, uint32_t number);
    void *context;
    uint32_t next, count, done;
    bool closed;
};

/* Takes pieces until none is left; the mutex is held before and after. */
static void take_pieces(struct team *team)
{
    while (team->next < team->count) {
        uint32_t number = team->next++;
        pthread_mutex_unlock(&team->mutex);
        team->piece(team->context, number);
        pthread_mutex_lock(&team->mutex);
        if (++team->done == team->count)
            pthread_cond_signal(&team->all_done);
    }
}

static void *work(void *argument)
{
    struct team *team = argument;
    pthread_mutex_lock(&team->mutex);
    while (!team->closed) {
        take_pieces(team);
        if (!team->closed)
            pthread_cond_wait(&team->something_to_do, &team->mutex);
    }
    pthread_mutex_unlock(&team->mutex);
    return NULL;
}

struct team *team_create(uint32_t jobs)
{
    struct team *team = NEW(struct team);
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->something_to_do, NULL);
    pthread_cond_init(&team->all_done, NULL);
    while (team->others + 1 < jobs && team->others < JOBS_MAX &&
           !pthread_create(&team->threads[team->others], NULL, work, team))
        team->others++;
    return team;
}

void team_destroy(struct team *team)
{
    if (!team)
        return;
    pthread_mutex_lock(&team->mutex);
    team->closed = true;
    pthread_cond_broadcast(&team->something_to_do);
    pthread_mutex_unlock(&team->mutex);
    for (uint32_t i = 0; i < team->others; i++)
        pthread_join(team->threads[i], NULL);
    pthread_cond_destroy(&team->all_done);
    pthread_cond_destroy(&team->something_to_do);
    pthread_mutex_destroy(&team->mutex);
    free(team);
}

void team_run(struct team *team, uint32_t count, void (*piece)(void *context, uint32_t number),
              void *context)
{
    pthread_mutex_lock(&team->mutex);
    team->piece = piece;
    team->context = context;
    team->next = team->done = 0;
    team->count = count;
    pthread_cond_broadcast(&team->something_to_do);
    take_pieces(team);
    while (team->done < team->count)
        pthread_cond_wait(&team->all_done, &team->mutex);
    pthread_mutex_unlock(&team->mutex);
}
