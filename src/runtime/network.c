/* SPDX-License-Identifier: MIT */
#include "runtime/network.h"

#include "runtime/keep.h"
#include "runtime/process.h"
#include "runtime/real.h"
#include "runtime/system.h"
#include "runtime/text.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/un.h>

enum { LINE = 320 };

union address {
    struct sockaddr any;
    struct sockaddr_in internet;
    struct sockaddr_in6 internet6;
    struct sockaddr_un local;
};

static size_t append_bytes(char *line, size_t at, const void *bytes, size_t count)
{
    char digits[3] = "";
    for (size_t i = 0; i < count; i++) {
        uint8_t byte = ((const uint8_t *)bytes)[i];
        digits[0] = "0123456789abcdef"[byte >> 4];
        digits[1] = "0123456789abcdef"[byte & 15];
        at = text_append(line, at, LINE, digits);
    }
    return at;
}

static size_t append_port(char *line, size_t at, uint16_t port)
{
    at = text_number(line, at, LINE, (uint64_t)__builtin_bswap16(port));
    return text_append(line, at, LINE, " ");
}

/* Of the local family: a path that ends where the address does, or a name of any bytes. */
static size_t append_local(char *line, size_t at, const struct sockaddr_un *local, unsigned length)
{
    size_t before = offsetof(struct sockaddr_un, sun_path), bytes = 0;
    if (length <= before)
        return 0; /* it has no name */
    at = text_append(line, at, LINE, "0 ");
    if (!local->sun_path[0]) {
        at = text_append(line, at, LINE, "@");
        return append_bytes(line, at, local->sun_path + 1, length - before - 1);
    }
    while (bytes < length - before && local->sun_path[bytes] && local->sun_path[bytes] != '\n' &&
           at + 1 < LINE)
        line[at++] = local->sun_path[bytes++];
    line[at] = 0;
    return at;
}

static void note(const char *what, const union address *address, unsigned length)
{
    char line[LINE];
    size_t at = text_append(line, 0, sizeof line, what);
    switch (address->any.sa_family) {
    case AF_INET:
        at = append_port(line, at, address->internet.sin_port);
        at = append_bytes(line, at, &address->internet.sin_addr, 4);
        break;
    case AF_INET6:
        at = append_port(line, at, address->internet6.sin6_port);
        at = append_bytes(line, at, &address->internet6.sin6_addr, 16);
        break;
    case AF_UNIX:
        at = append_local(line, at, &address->local, length);
        break;
    default:
        return;
    }
    if (!at)
        return;
    text_append(line, at, sizeof line, "\n");
    keep_note("before/network", line);
}

void network_connected(const struct sockaddr *to, unsigned length)
{
    note("other ", (const union address *)to, length);
}

void network_bound(int descriptor)
{
    union address own = {0};
    unsigned length = sizeof own;
    if (system_call(SYS_getsockname, descriptor, (long)&own, (long)&length, 0, 0, 0) < 0)
        return;
    note("own ", &own, length);
    if (own.any.sa_family != AF_UNIX || length <= offsetof(struct sockaddr_un, sun_path) ||
        !own.local.sun_path[0] || length >= sizeof own)
        return;
    ((char *)&own)[length] = 0;
    keep_made(own.local.sun_path); /* a socket in the file system was not there before */
}

EXPORT int bind(int descriptor, const struct sockaddr *address, socklen_t length);
EXPORT int bind(int descriptor, const struct sockaddr *address, socklen_t length)
{
    int result = REAL(bind)(descriptor, address, length);
    if (result == 0) {
        int saved = errno;
        network_bound(descriptor);
        errno = saved;
    }
    return result;
}
