// What OpenMP orders between tasks, and two races that it does not (tests/cli/run.bats).
#include <stdio.h>
#include <unistd.h>
static int waited[4], grouped[4], nested[4], late, depended, read_twice[2], looped[64], racy, early;
/* Brings two threads together, out of the recorder's sight. */
static volatile int arrived;
__attribute__((no_sanitize_thread, noinline)) static void meet(int all)
{
    __sync_fetch_and_add(&arrived, 1);
    while (arrived < all)
        usleep(100);
}
static void fill(int *values)
{
    for (int i = 0; i < 4; i++) {
        int given = i + 1;
#pragma omp task firstprivate(given)
        values[given - 1] = given;
    }
}
static int sum(const int *values, int count)
{
    int all = 0;
    for (int i = 0; i < count; i++)
        all += values[i];
    return all;
}
static long fibonacci(int n)
{
    long a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fibonacci(n - 1);
#pragma omp task shared(b)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}
int main(void)
{
    long all = 0, most = 0;
#pragma omp parallel num_threads(4)
    {
#pragma omp single
        {
            fill(waited);
#pragma omp taskwait
            all += sum(waited, 4);
#pragma omp taskgroup
            {
                fill(grouped);
#pragma omp task
                fill(nested); // its tasks are the group's, too
            }
            all += sum(grouped, 4) + sum(nested, 4);
#pragma omp task depend(out : depended)
            depended = 5;
#pragma omp task depend(in : depended)
            read_twice[0] = depended;
#pragma omp task depend(in : depended)
            read_twice[1] = depended;
#pragma omp task depend(inout : depended)
            depended += read_twice[0] + read_twice[1];
#pragma omp taskwait
            all += depended;
#pragma omp taskloop grainsize(8)
            for (int i = 0; i < 64; i++)
                looped[i] = i;
#pragma omp taskloop grainsize(8) reduction(+ : most)
            for (int i = 0; i < 64; i++)
                most += looped[i];
            all += fibonacci(6);
#pragma omp task
            {
                usleep(2000);
                late = 6; // at the barrier
            }
        }
        if (late != 6)
            printf("late\n");
#pragma omp single nowait
        {
#pragma omp task
            {
                usleep(2000);
                waited[0] = 7; // at the end of the region
            }
        }
    }
    all += waited[0];
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 2; i++) {
#pragma omp task
        {
            meet(2);
            racy++; //@A
        }
    }
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        {
            meet(4);
            early = 1; //@B
        }
        meet(4);
        early = 2; //@C
    }
    printf("%ld %ld %d\n", all, most, racy > 0 && early > 0);
}
