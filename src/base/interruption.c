/* SPDX-License-Identifier: MIT */
#include "base/interruption.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

volatile int interruption_number;

enum { WORDS = 9000 };
static char first_words[WORDS], last_words[WORDS];

static void say(const char *words)
{
    ssize_t written = write(STDERR_FILENO, words, strlen(words));
    (void)written;
}

static void end_by(int number)
{
    sigset_t mask;
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(number, SIG_DFL);
    sigemptyset(&mask);
    sigaddset(&mask, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &mask, NULL); /* inside a handler it comes now */
    _exit(128 + number);
}

void interruption_note(int number)
{
    if (interruption_number) {
        say(last_words);
        end_by(number);
    }
    interruption_number = number;
    say(first_words);
}

void interruption_expect(const char *first, const char *last)
{
    struct sigaction action = {.sa_handler = interruption_note, .sa_flags = SA_RESTART}, old;
    static const int signals[] = {SIGINT, SIGTERM};
    snprintf(first_words, sizeof first_words, "%s", first);
    snprintf(last_words, sizeof last_words, "%s", last);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

void interruption_end(void)
{
    if (interruption_number)
        end_by(interruption_number);
}
