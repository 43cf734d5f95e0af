/* SPDX-License-Identifier: MIT */
/* What the runtime asks of the kernel, without libc in between: no errno, no
 * cancellation points, no interposed functions. x86-64 Linux. Each returns the
 * kernel's answer: a negative number is -errno. */
#ifndef PREPLAY_RUNTIME_SYSTEM_H
#define PREPLAY_RUNTIME_SYSTEM_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

/* A recording holds the environment and the input of its program: it is for its user alone. */
#define SYSTEM_FILE_MODE 0600

static inline long system_call(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/* The program has forbidden system calls (seal.c), and may be killed for one that is not its own.
 * From then on the kernel is asked nothing; what a thread cannot do without (a sleep, memory for
 * the recorder of a thread that the program could create) is not asked through this. */
#ifdef PREPLAY_HOST
#define system_sealed 0
#else
extern _Atomic _Bool system_sealed __attribute__((visibility("hidden")));
#endif

static inline long system_ask(long number, long a, long b, long c, long d, long e, long f)
{
    return __builtin_expect(system_sealed, 0) ? -1 : system_call(number, a, b, c, d, e, f);
}

static inline void system_close(int file)
{
    system_call(SYS_close, file, 0, 0, 0, 0, 0);
}

/* The lowest free number is the program's: it may be about to get it, or, by mistake, still write
 * to what it has closed there. So a file of ours has a high one, if that can be had; but none
 * beyond an fd_set: select() reads as many bits as the process's table of descriptors is long, if
 * it is asked for more. */
static inline int system_stand_away(int file)
{
    static const short floors[] = {960, 448, 192, 48, 16}; /* the limit may be low */
    for (unsigned i = 0; i < sizeof floors / sizeof *floors && file >= 0 && file < floors[i]; i++) {
        int away = (int)system_call(SYS_fcntl, file, F_DUPFD_CLOEXEC, floors[i], 0, 0, 0);
        if (away >= 0) {
            system_close(file);
            return away;
        }
    }
    return file;
}

static inline int system_open_at(int directory, const char *path, int flags, int mode)
{
    return system_stand_away(
        (int)system_ask(SYS_openat, directory, (long)path, flags | O_CLOEXEC, mode, 0, 0));
}

static inline int system_open(const char *path, int flags, int mode)
{
    return system_open_at(AT_FDCWD, path, flags, mode);
}

static inline long system_read(int file, void *buffer, size_t size)
{
    return system_call(SYS_read, file, (long)buffer, (long)size, 0, 0, 0);
}

/* A file that outgrows the limit of its size ends the program by SIGXFSZ: is there room? */
static inline int system_may_grow(uint64_t end)
{
    struct {
        uint64_t now, most;
    } limit;
    long answer = system_call(SYS_prlimit64, 0, 1 /* RLIMIT_FSIZE */, 0, (long)&limit, 0, 0);
    return answer < 0 || end <= limit.now;
}

static inline long system_write(int file, const void *buffer, size_t size)
{
    long end = system_call(SYS_lseek, file, 0, 2 /* SEEK_END */, 0, 0, 0);
    if (end >= 0 && !system_may_grow((uint64_t)end + size))
        return -27; /* EFBIG */
    return system_call(SYS_write, file, (long)buffer, (long)size, 0, 0, 0);
}

/* Reserves real blocks, so that a full disk is an answer here and not a SIGBUS later. */
static inline int system_allocate(int file, uint64_t offset, uint64_t size)
{
    if (!system_may_grow(offset + size))
        return -27;        /* EFBIG */
    enum { TRIES = 1000 }; /* a signal may interrupt it, and the next one, too */
    long answer = -4;      /* EINTR */
    for (unsigned i = 0; i < TRIES && answer == -4; i++)
        answer = system_call(SYS_fallocate, file, 0, (long)offset, (long)size, 0, 0);
    return (int)answer;
}

/* A file is made and resized by its path, without a descriptor: see stream.c. */
static inline int system_make_file(const char *path)
{
    return (int)system_ask(SYS_mknod, (long)path, S_IFREG | SYSTEM_FILE_MODE, 0, 0, 0, 0);
}

static inline int system_resize(const char *path, uint64_t size)
{
    if (!system_may_grow(size))
        return -27; /* EFBIG */
    return (int)system_ask(SYS_truncate, (long)path, (long)size, 0, 0, 0, 0);
}

static inline int system_mkdir(const char *path)
{
    return (int)system_call(SYS_mkdir, (long)path, 0700, 0, 0, 0, 0);
}

static inline int system_rename(const char *from, const char *to)
{
    return (int)system_call(SYS_rename, (long)from, (long)to, 0, 0, 0, 0);
}

/* NULL if there is no room. */
static inline void *system_map(int file, uint64_t offset, size_t size)
{
    int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    long result =
        system_call(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, flags, file, (long)offset);
    return result < 0 && result > -4096 ? NULL : (void *)result;
}

/* Puts other pages of a file where some are mapped already. */
static inline void *system_remap(void *start, int file, uint64_t offset, size_t size)
{
    long result = system_call(SYS_mmap, (long)start, (long)size, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_FIXED, file, (long)offset);
    return result < 0 && result > -4096 ? NULL : (void *)result;
}

static inline void system_unmap(void *start, size_t size)
{
    system_call(SYS_munmap, (long)start, (long)size, 0, 0, 0, 0);
}

/* Makes the pages ready for writing; kernels before 5.14 do not, which is fine. */
static inline void system_populate(void *start, size_t size)
{
    system_call(SYS_madvise, (long)start, (long)size, 23 /* MADV_POPULATE_WRITE */, 0, 0, 0);
}

static inline void system_yield(void)
{
    __builtin_ia32_pause();
    system_ask(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

static inline void system_sleep(long nanoseconds)
{
    const struct timespec time = {.tv_nsec = nanoseconds};
    for (long i = 0; system_sealed && i < nanoseconds / 50; i++)
        __builtin_ia32_pause();
    system_ask(SYS_nanosleep, (long)&time, 0, 0, 0, 0, 0);
}

/* A millisecond's sleep. */
static inline void system_nap(void)
{
    system_sleep(1000000);
}

static inline uint32_t system_process(void)
{
    return (uint32_t)system_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static inline uint32_t system_thread(void)
{
    return (uint32_t)system_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

/* Could the memory be read at this moment? Asked of the kernel, which looks at the signals that
 * are to be blocked before it finds that it does not know what to do with them. */
static inline int system_readable(const void *memory, size_t size)
{
    enum { PAGE = 4096, SET = 8 };
    uintptr_t at = (uintptr_t)memory & ~(uintptr_t)(SET - 1), end = (uintptr_t)memory + size;
    if (end < (uintptr_t)memory)
        return 0;
    for (; !system_sealed && at < end; at = (at & ~(uintptr_t)(PAGE - 1)) + PAGE)
        if (system_call(SYS_rt_sigprocmask, -1, (long)at, 0, SET, 0, 0) == -14) /* EFAULT */
            return 0;
    return 1;
}

/* A clock that rises, about the same on every core. Nothing relies on more. */
static inline uint64_t system_ticks(void)
{
    return __builtin_ia32_rdtsc();
}

#endif
