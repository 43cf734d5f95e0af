/* SPDX-License-Identifier: MIT */
#include "target/network.h"

#include "base/array.h"
#include "base/files.h"
#include "target/processes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define NOTES_LIMIT ((size_t)1 << 24)

struct address {
    bool own;
    unsigned port;
    char name[260]; /* as in the file */
};

struct addresses ARRAY_OF(struct address);

struct reading {
    struct addresses all;
    struct error *error;
    int result;
};

static void read_notes(void *context, const char *directory)
{
    struct reading *self = context;
    char path[PATH_MAX], kind[8];
    size_t length = 0;
    snprintf(path, sizeof path, "%.4000s/before/network", directory);
    char *text = files_load(path, NOTES_LIMIT, &length), *rest = text;
    if (!text && errno != ENOENT)
        self->result = error_set(self->error, ERROR_INPUT, "%s: %s", path, files_reason(errno));
    for (char *line; text && (line = strsep(&rest, "\n"));) {
        struct address one = {0};
        if (sscanf(line, "%7s %u %259[^\n]", kind, &one.port, one.name) != 3)
            continue; /* the last one is cut off if the program was killed */
        one.own = strcmp(kind, "own") == 0;
        array_push(&self->all, one);
    }
    free(text);
}

static bool is_internet(const char *name, unsigned char bytes[16], int *family)
{
    size_t digits = strlen(name);
    if ((digits != 8 && digits != 32) || strspn(name, "0123456789abcdef") != digits)
        return false;
    for (size_t i = 0; i < digits / 2; i++)
        sscanf(name + 2 * i, "%2hhx", &bytes[i]);
    *family = digits == 8 ? AF_INET : AF_INET6;
    return true;
}

/* One that every network has, the loopback interface alone included; `any` is one of those. */
static bool is_of_every_network(const unsigned char bytes[16], int family)
{
    static const unsigned char none[16], one[16] = {[15] = 1},
                                         mapped[12] = {[10] = 255, [11] = 255};
    if (family == AF_INET)
        return bytes[0] == 127 || memcmp(bytes, none, 4) == 0;
    return memcmp(bytes, none, 16) == 0 || memcmp(bytes, one, 16) == 0 ||
           (memcmp(bytes, mapped, 12) == 0 && bytes[12] == 127);
}

static bool is_own(const struct addresses *all, const struct address *wanted)
{
    bool has_port = wanted->port != 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].own && (has_port ? all->items[i].port == wanted->port
                                           : strcmp(all->items[i].name, wanted->name) == 0))
            return true;
    return false;
}

static void describe(struct network *network, const struct address *one, int family,
                     const unsigned char bytes[16])
{
    char text[INET6_ADDRSTRLEN] = "";
    if (*network->other)
        return;
    if (family)
        inet_ntop(family, bytes, text, sizeof text);
    if (family)
        snprintf(network->other, sizeof network->other, "%s port %u", text, one->port);
    else
        snprintf(network->other, sizeof network->other, "the socket %.200s", one->name);
}

static void look_at(struct network *network, const struct addresses *all, const struct address *one,
                    void (*reach)(void *context, const char *path), void *context)
{
    unsigned char bytes[16] = {0};
    int family = 0;
    if (is_internet(one->name, bytes, &family)) {
        if (!is_of_every_network(bytes, family) || (!one->own && !is_own(all, one)))
            describe(network, one, family, bytes);
    } else if (!one->own && !is_own(all, one)) {
        if (one->name[0] == '/')
            reach(context, one->name);
        else if (one->name[0] == '@') /* these names belong to a network */
            describe(network, one, 0, bytes);
    }
}

int network_read(struct network *network, const char *recording,
                 void (*reach)(void *context, const char *path), void *context, struct error *error)
{
    struct reading self = {.error = error};
    *network = (struct network){0};
    processes_each(recording, read_notes, &self);
    for (size_t i = 0; i < self.all.count; i++)
        look_at(network, &self.all, &self.all.items[i], reach, context);
    array_free(&self.all);
    return self.result;
}
