/* SPDX-License-Identifier: MIT */
#include "target/namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

bool namespaces_need_users(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0}};
    return syscall(SYS_capget, &header, data) || !(data[0].effective & (1u << CAP_SYS_ADMIN)) ||
           !(data[0].effective & (1u << CAP_NET_ADMIN));
}

static bool write_file(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (file >= 0)
        close(file);
    return written;
}

static bool read_file(const char *path, char *text, size_t room)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, text, room - 1) : -1;
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = 0;
    return got > 0;
}

static bool stay_who_we_are(uid_t user, gid_t group)
{
    char map[64];
    write_file("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "%u %u 1", (unsigned)group, (unsigned)group);
    if (!write_file("/proc/self/gid_map", map))
        return false;
    snprintf(map, sizeof map, "%u %u 1", (unsigned)user, (unsigned)user);
    return write_file("/proc/self/uid_map", map);
}

static bool bring_loopback_up(void)
{
    struct ifreq request = {.ifr_name = "lo"};
    int file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool up = file >= 0 && ioctl(file, SIOCGIFFLAGS, &request) == 0;
    request.ifr_flags |= IFF_UP;
    up = up && ioctl(file, SIOCSIFFLAGS, &request) == 0;
    if (file >= 0)
        close(file);
    return up;
}

int namespaces_enter(bool mounts, bool network, struct error *error)
{
    static const char ports[] = "/proc/sys/net/ipv4/ip_unprivileged_port_start";
    char first_port[32];
    bool users = namespaces_need_users(), limited = read_file(ports, first_port, sizeof first_port);
    uid_t user = geteuid();
    gid_t group = getegid();
    int flags = (mounts ? CLONE_NEWNS : 0) | (network ? CLONE_NEWNET : 0);
    if (unshare(flags | (users ? CLONE_NEWUSER : 0)))
        return error_set(error, ERROR_INTERNAL, "no namespaces: %s", strerror(errno));
    if (users && !stay_who_we_are(user, group))
        return error_set(error, ERROR_INTERNAL, "no user namespace: %s", strerror(errno));
    if (mounts && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
        return error_set(error, ERROR_INTERNAL, "no private mounts: %s", strerror(errno));
    if (network && !bring_loopback_up())
        return error_set(error, ERROR_INTERNAL, "no loopback interface: %s", strerror(errno));
    if (network && limited)
        write_file(ports, first_port);
    return 0;
}
