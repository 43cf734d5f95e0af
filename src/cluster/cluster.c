/* SPDX-License-Identifier: MIT */
#include "cluster/cluster_state.h"

#include <dlfcn.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

/* --- the launcher ------------------------------------------------------------------ */

static long number_of(const char *const *names)
{
    for (; *names; names++) {
        const char *text = getenv(*names);
        if (text && *text)
            return atol(text);
    }
    return -1;
}

uint32_t cluster_launched_ranks(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
                                        NULL};
    static const char *const tasks[] = {"SLURM_STEP_NUM_TASKS", NULL};
    long ranks = number_of(names);
    if (ranks < 0 && (getenv("PMIX_RANK") || getenv("PMI_RANK"))) /* srun, with its own PMI */
        ranks = number_of(tasks);
    return ranks > 1 && ranks < INT_MAX ? (uint32_t)ranks : 1;
}

uint32_t cluster_launched_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                        "MV2_COMM_WORLD_RANK", NULL};
    long rank = number_of(names);
    return rank > 0 && rank < INT_MAX ? (uint32_t)rank : 0;
}

bool cluster_is_launched(void)
{
    const char *wish = getenv("PREPLAY_MPI");
    return cluster_launched_ranks() > 1 && !(wish && strcmp(wish, "0") == 0);
}

/* --- the end by a signal ----------------------------------------------------------- */

/* mpirun ends all ranks with SIGTERM when one has died. */
static char last_words[PATH_MAX + 256];

static void say_last_words(int number)
{
    ssize_t written = write(STDERR_FILENO, last_words, strlen(last_words));
    (void)written;
    signal(number, SIG_DFL);
    raise(number);
}

static void expect_end(const char *path)
{
    static const int signals[] = {SIGINT, SIGTERM};
    struct sigaction action = {.sa_handler = say_last_words};
    snprintf(
        last_words, sizeof last_words,
        "preplay: ended before all was done. What is known is in %.4000s: the same command with "
        "--resume goes on\n",
        path);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

/* --- joining ----------------------------------------------------------------------- */

static struct cluster *create(uint32_t rank, uint32_t ranks)
{
    struct cluster *self = NEW(struct cluster);
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->changed, NULL);
    self->deal.rank = rank;
    self->deal.ranks = ranks;
    dealing_install(self);
    return self;
}

static void give_arrays(struct cluster *self)
{
    self->shares = NEW_ARRAY(struct share, self->deal.ranks);
    self->heard = NEW_ARRAY(double, self->deal.ranks);
    self->gone = NEW_ARRAY(bool, self->deal.ranks);
    for (uint32_t i = 0; i < self->deal.ranks; i++)
        self->heard[i] = post_now();
}

struct cluster *cluster_alone(void)
{
    struct cluster *self = create(0, 1);
    self->place.hosts = memory_zero(1, sizeof *self->place.hosts);
    gethostname(self->place.hosts[0], TRANSPORT_HOST - 1);
    give_arrays(self);
    return self;
}

/* A thread alone speaks MPI: it also begins with it. */
static void *join_and_run(void *argument)
{
    struct cluster *self = argument;
    self->alike = alike_prepare(self->place.shared);
    bool joined = self->transport->start(&self->place);
    pthread_mutex_lock(&self->mutex);
    if (joined) {
        self->deal.rank = self->place.rank;
        self->deal.ranks = self->place.ranks;
        alike_open(self->alike, &self->place);
        give_arrays(self);
    } else {
        self->bye = true;
    }
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->mutex);
    return joined ? post_run(self) : NULL;
}

static int load(struct cluster *self, const char *directory, struct error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.4000s/libpreplay_mpi.so", directory);
    if (access(path, R_OK))
        return error_set(error, ERROR_USAGE,
                         "started as one of several ranks, but this build has no MPI (%s); "
                         "PREPLAY_MPI=0 lets each rank work alone",
                         path);
    self->module = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* MPI's own modules look for its names */
    self->transport = self->module ? dlsym(self->module, TRANSPORT_SYMBOL) : NULL;
    if (self->transport && self->transport->version == TRANSPORT_VERSION)
        return 0;
    const char *why = self->module ? "it is of another preplay" : dlerror();
    return error_set(error, ERROR_INTERNAL, "MPI cannot be used: %s", why);
}

/* Large arrays begin at the same place of a page in every rank (alike.c). */
static void lay_out_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 17);
}

struct cluster *cluster_join(const char *directory, struct error *error)
{
    struct cluster *self = create(0, 0);
    const char *silence = getenv("PREPLAY_MPI_SILENCE");
    self->silence = silence && atof(silence) > 0 ? atof(silence) : 60;
    if (load(self, directory, error)) {
        free(self);
        return NULL;
    }
    lay_out_memory();
    if (pthread_create(&self->post, NULL, join_and_run, self)) {
        error_set(error, ERROR_INTERNAL, "no thread for the messages of MPI");
        return NULL;
    }
    pthread_mutex_lock(&self->mutex);
    while (!self->heard && !self->bye)
        pthread_cond_wait(&self->changed, &self->mutex);
    pthread_mutex_unlock(&self->mutex);
    if (!self->heard) {
        error_set(error, ERROR_INTERNAL, "MPI cannot be used: it does not begin");
        return NULL;
    }
    if (self->deal.rank && !freopen("/dev/null", "w", stdout))
        fclose(stdout);
    return self;
}

struct deal *cluster_deal(struct cluster *self)
{
    return self ? &self->deal : NULL;
}

int cluster_checkpoint(struct cluster *self, const char *directory, const char *work, bool resume,
                       struct error *error)
{
    if (self->deal.rank)
        return 0;
    struct checkpoint *checkpoint = checkpoint_open(directory, work, resume, error);
    if (!checkpoint)
        return -1;
    pthread_mutex_lock(&self->mutex);
    self->checkpoint = checkpoint;
    pthread_mutex_unlock(&self->mutex);
    expect_end(checkpoint_path(checkpoint));
    return 0;
}

void cluster_checkpoint_remove(struct cluster *self)
{
    if (self->checkpoint)
        checkpoint_remove(self->checkpoint);
}

/* --- the end ------------------------------------------------------------------------ */

static bool all_gone(const struct cluster *self)
{
    for (uint32_t i = 1; i < self->deal.ranks; i++)
        if (!self->gone[i])
            return false;
    return true;
}

/* The first rank waits for the others, and says when all may go. */
static void end_first(struct cluster *self, const struct error *error)
{
    struct letter letter = {.kind = LETTER_BYE};
    if (error && self->deal.ranks > 1)
        post_abort(self, (int)error->code, "%s", error->text);
    self->ending = true;
    while (!all_gone(self))
        pthread_cond_wait(&self->changed, &self->mutex);
    for (uint32_t i = 1; i < self->deal.ranks; i++)
        post_letter(self, i, &letter, (struct bytes){0});
    self->bye = true;
}

static void end_other(struct cluster *self, const struct error *error)
{
    struct letter letter = {.kind = LETTER_GONE};
    struct bytes body = {&self->shares[self->deal.rank], sizeof *self->shares};
    char text[sizeof error->text];
    if (error) {
        letter.kind = LETTER_FAIL;
        letter.piece = error->code;
        memcpy(text, error->text, sizeof text);
        body = (struct bytes){text, strlen(text)};
    }
    post_letter(self, 0, &letter, body);
    while (!self->bye)
        pthread_cond_wait(&self->changed, &self->mutex);
}

static void destroy(struct cluster *self)
{
    for (size_t i = 0; i < self->rounds.count; i++)
        free(self->rounds.items[i].pieces);
    array_free(&self->rounds);
    array_free(&self->outbox);
    array_free(&self->granted);
    alike_close(self->alike);
    checkpoint_close(self->checkpoint);
    free(self->place.hosts);
    free(self->shares);
    free(self->heard);
    free(self->gone);
    free(self);
}

void cluster_end(struct cluster *self, const struct error *error, FILE *tell)
{
    if (!self)
        return;
    share_measure(&self->shares[self->deal.rank]);
    pthread_mutex_lock(&self->mutex);
    if (self->deal.rank)
        end_other(self, error);
    else
        end_first(self, error);
    if (tell && !self->deal.rank)
        share_tell(self, tell);
    pthread_mutex_unlock(&self->mutex);
    if (self->transport)
        pthread_join(self->post, NULL);
    destroy(self);
}
