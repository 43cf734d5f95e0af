// What OpenMP orders, and one race that it does not (tests/cli/run.bats).
#include <omp.h>
#include <stdio.h>
static int table[64], total, named, locked, racy, phase1[4], phase2[4], tested, turns, inner;
static omp_lock_t lock;
static omp_nest_lock_t nestable;
int main(void)
{
    omp_init_lock(&lock);
    omp_init_nest_lock(&nestable);
    table[0] = 1;
#pragma omp parallel num_threads(4)
    {
        int me = omp_get_thread_num();
        phase1[me] = table[0];
#pragma omp barrier
        phase2[me] = phase1[(me + 1) % 4];
#pragma omp for schedule(dynamic, 4)
        for (int i = 0; i < 64; i++)
            table[i] = i;
#pragma omp for schedule(static)
        for (int i = 0; i < 64; i++)
            table[63 - i] += 1;
#pragma omp critical
        total += phase2[me];
#pragma omp critical(other)
        named++;
        omp_set_lock(&lock);
        locked++;
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nestable);
        if (omp_test_nest_lock(&nestable)) {
            inner++;
            omp_unset_nest_lock(&nestable);
        }
        inner++;
        omp_unset_nest_lock(&nestable);
        if (omp_test_lock(&lock)) {
            tested++;
            omp_unset_lock(&lock);
        }
#pragma omp single
        phase1[0] = 7;
        phase2[me] += phase1[0];
#pragma omp sections
        {
#pragma omp section
            phase1[1] = 1;
#pragma omp section
            phase1[2] = 1;
        }
        phase2[me] += phase1[1] + phase1[2];
        int *copied;
#pragma omp single copyprivate(copied)
        {
            copied = &named;
            phase1[3] = 9;
        }
        phase2[me] += phase1[3] + *copied;
#pragma omp for ordered
        for (int i = 0; i < 16; i++) {
#pragma omp ordered
            turns += i;
        }
    }
    total += phase1[0];
#pragma omp parallel for num_threads(4) schedule(guided)
    for (int i = 0; i < 64; i++)
        table[i]++;
#pragma omp parallel for num_threads(4) reduction(+ : total)
    for (int i = 0; i < 64; i++)
        total += table[i];
#pragma omp parallel num_threads(4)
    racy++; //@A
    printf("%d %d\n", total > 0, named == 4 && locked == 4 && turns == 120 && inner == 8);
}
