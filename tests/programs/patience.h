/* Sleeps that order the threads of a program at any speed of the machine. A thread that sleeps in
 * patience() goes on when every other thread is blocked, has ended or sleeps for longer, instead
 * of when some time is over, which a busy machine lets pass before the others have done anything.
 * In a replay the schedule orders them, and it is a plain sleep.
 *
 * No recorder sees any of this: the threads share no memory and call no function. How long a
 * thread sleeps stands in a register of its sleep, where the kernel shows it; what time it is
 * stands in a file. A program that does not know of it: -include patience.h */
#ifndef PATIENCE_H
#define PATIENCE_H

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_HIDDEN static __attribute__((no_sanitize_thread, noinline, unused))

enum { /* calls of the kernel, on x86-64, and what they are told */
       PATIENCE_READ = 0,
       PATIENCE_CLOSE = 3,
       PATIENCE_PREAD = 17,
       PATIENCE_PWRITE = 18,
       PATIENCE_SLEEP = 35,
       PATIENCE_SELF = 186,
       PATIENCE_FUTEX = 202,
       PATIENCE_LIST = 217,
       PATIENCE_OPEN = 257,
       PATIENCE_MEMORY_FILE = 319,
       PATIENCE_WAIT = 128,
       PATIENCE_WAKE = 129,
       PATIENCE_MARK = 0x5a71e2ce,
};

/* What a look at other threads sees; everything else: they are blocked. */
enum { PATIENCE_RUNNING, PATIENCE_EARLIER };

static int patience_clock;               /* a file that holds the time; 0 in a replay */
static const int patience_word[1] = {0}; /* that nobody changes */

PATIENCE_HIDDEN long patience_call(long number, long a, long b, long c, long d, long e, long f)
{
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    register long sixth __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
}

__attribute__((constructor, no_sanitize_thread, unused)) static void patience_begin(void)
{
    if (!getenv("PREPLAY_REPLAY"))
        patience_clock = (int)patience_call(PATIENCE_MEMORY_FILE, (long)"patience", 1, 0, 0, 0, 0);
}

/* Reads TASK/NAME in the directory of all tasks. */
PATIENCE_HIDDEN int patience_text(long tasks, const char *task, const char *name, char *text,
                                  long room)
{
    char path[64];
    long length = 0;
    for (; *task; task++)
        path[length++] = *task;
    for (path[length++] = '/'; *name; name++)
        path[length++] = *name;
    path[length] = 0;
    long file = patience_call(PATIENCE_OPEN, tasks, (long)path, 0, 0, 0, 0);
    if (file < 0)
        return 0;
    length = patience_call(PATIENCE_READ, file, (long)text, room - 1, 0, 0, 0);
    patience_call(PATIENCE_CLOSE, file, 0, 0, 0, 0, 0);
    text[length < 0 ? 0 : length] = 0;
    return length > 0;
}

/* What stands behind `name` in a text. */
PATIENCE_HIDDEN const char *patience_find(const char *text, const char *name)
{
    for (; *text; text++) {
        long i = 0;
        while (name[i] && text[i] == name[i])
            i++;
        if (!name[i])
            return text + i;
    }
    return NULL;
}

PATIENCE_HIDDEN unsigned long patience_number(const char **text)
{
    unsigned long number = 0;
    unsigned base = (*text)[0] == '0' && (*text)[1] == 'x' ? 16 : 10;
    for (*text += base == 16 ? 2 : 0;; ++*text) {
        unsigned digit = (unsigned)**text;
        digit -= digit >= 'a' ? 'a' - 10 : '0';
        if (digit >= base)
            break;
        number = number * base + digit;
    }
    while (**text == ' ')
        ++*text;
    return number;
}

/* Of a thread whose call of the kernel is this: until when it sleeps, or 0. */
PATIENCE_HIDDEN unsigned long patience_until(const char *call)
{
    for (int i = 0; i < 5; i++)
        patience_number(&call);
    return patience_number(&call) == PATIENCE_MARK ? patience_number(&call) : 0;
}

/* What stays the same as long as the thread stays blocked. */
PATIENCE_HIDDEN unsigned long patience_look_at(long tasks, const char *task, long self,
                                               unsigned long wake)
{
    char text[4096];
    const char *at = task;
    long other = (long)patience_number(&at);
    if (other == self || !patience_text(tasks, task, "status", text, sizeof text))
        return 2; /* it has ended */
    const char *state = patience_find(text, "State:\t");
    const char *ran = patience_find(text, "\nvoluntary_ctxt_switches:\t");
    if (state && (*state == 'Z' || *state == 'X'))
        return 2;
    if (!state || !ran || *state != 'S')
        return PATIENCE_RUNNING;
    unsigned long times = patience_number(&ran);
    if (!patience_text(tasks, task, "syscall", text, sizeof text) || *text < '0' || *text > '9')
        return PATIENCE_RUNNING;
    unsigned long until = patience_until(text);
    if (until)
        return until < wake || (until == wake && other < self) ? PATIENCE_EARLIER : until;
    return times + 2;
}

/* The same of all threads but this one. */
PATIENCE_HIDDEN unsigned long patience_look(unsigned long wake)
{
    char entries[4096];
    long tasks = patience_call(PATIENCE_OPEN, -100, (long)"/proc/self/task", 0, 0, 0, 0);
    long self = patience_call(PATIENCE_SELF, 0, 0, 0, 0, 0, 0), length;
    unsigned long all = 2, lowest = 2;
    while ((length = patience_call(PATIENCE_LIST, tasks, (long)entries, sizeof entries, 0, 0, 0)) >
           0)
        for (char *entry = entries; entry < entries + length;
             entry += *(unsigned short *)(entry + 16)) {
            if (entry[19] == '.')
                continue;
            unsigned long one = patience_look_at(tasks, entry + 19, self, wake);
            all = all * 1000003 + one;
            lowest =
                one == PATIENCE_EARLIER || (one == PATIENCE_RUNNING && lowest == 2) ? one : lowest;
        }
    patience_call(PATIENCE_CLOSE, tasks, 0, 0, 0, 0, 0);
    return lowest == 2 ? all : lowest;
}

/* Two looks that see the same have seen threads that were all blocked from the end of the first
 * to the beginning of the second. Only who sleeps the shortest looks often. */
PATIENCE_HIDDEN int patience(unsigned microseconds)
{
    struct timespec nap = {0, 200000}, long_nap = {0, 100000000};
    struct timespec whole = {microseconds / 1000000, microseconds % 1000000 * 1000l};
    unsigned long wake = 0, before, seen = PATIENCE_RUNNING;
    if (patience_clock <= 0)
        return (int)patience_call(PATIENCE_SLEEP, (long)&whole, 0, 0, 0, 0, 0);
    patience_call(PATIENCE_PREAD, patience_clock, (long)&wake, sizeof wake, 0, 0, 0);
    wake += microseconds;
    do {
        patience_call(PATIENCE_FUTEX, (long)patience_word, PATIENCE_WAIT, 0,
                      (long)(seen == PATIENCE_EARLIER ? &long_nap : &nap), PATIENCE_MARK,
                      (long)wake);
        nap.tv_nsec += nap.tv_nsec < 4000000 ? nap.tv_nsec / 2 : 0;
        before = seen;
        seen = patience_look(wake);
    } while (seen == PATIENCE_RUNNING || seen == PATIENCE_EARLIER || seen != before);
    patience_call(PATIENCE_PWRITE, patience_clock, (long)&wake, sizeof wake, 0, 0, 0);
    patience_call(PATIENCE_FUTEX, (long)patience_word, PATIENCE_WAKE, 0x7fffffff, 0, 0, 0);
    return 0;
}

#define usleep patience

#endif
