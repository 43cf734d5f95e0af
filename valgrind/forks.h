/* Children of the target. */
#ifndef PREPLAY_VALGRIND_FORKS_H
#define PREPLAY_VALGRIND_FORKS_H

void forks_watch(void);

#endif
