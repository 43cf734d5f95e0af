// The rarer ways in which OpenMP orders threads and tasks. Nothing races (tests/cli/run.bats).
#include <omp.h>
#include <stdio.h>
enum { SIDE = 12, MANY = 20 };
static int first, filled[64], summed, parts[2], grid[SIDE][SIDE], many[MANY], of_many, object,
    total;

/* Barriers are other ones where something may be cancelled. */
static void cancel(void)
{
#pragma omp parallel num_threads(4)
    {
#pragma omp single nowait
        first = 1;
#pragma omp barrier
        int mine = first, sum = 0;
#pragma omp for
        for (int i = 0; i < 64; i++) {
            filled[i] = mine;
#pragma omp cancel for if (i < 0)
        }
        for (int i = 0; i < 64; i++)
            sum += filled[i];
#pragma omp single
        summed = sum;
#pragma omp sections
        {
#pragma omp section
            {
                parts[0] = summed;
#pragma omp cancel sections if (summed < 0)
            }
#pragma omp section
            parts[1] = summed;
        }
        sum = parts[0] + parts[1];
#pragma omp cancel parallel if (sum < 0)
#pragma omp barrier
#pragma omp master
        summed = sum;
    }
}

static void wait_for_iterations(void)
{
    for (int i = 0; i < SIDE; i++)
        grid[0][i] = grid[i][0] = 1;
#pragma omp parallel for ordered(2) collapse(2) num_threads(4) schedule(dynamic)
    for (int i = 1; i < SIDE; i++)
        for (int j = 1; j < SIDE; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            grid[i][j] = (grid[i - 1][j] + grid[i][j - 1]) % 1000;
#pragma omp ordered depend(source)
        }
}

static void depend(void)
{
    omp_depend_t writes, reads;
    for (int i = 0; i < MANY; i++)
#pragma omp task depend(out : many[i]) firstprivate(i)
        many[i] = i;
#pragma omp task depend(iterator(k = 0 : MANY), in : many[k])
    for (int i = 0; i < MANY; i++)
        of_many += many[i];
#pragma omp depobj(writes) depend(out : object)
#pragma omp depobj(reads) depend(in : object)
#pragma omp task depend(depobj : writes)
    object = 5;
#pragma omp task depend(in : object)
    if (object != 5)
        puts("too early");
#pragma omp taskwait depend(depobj : reads)
    if (object != 5)
        puts("too early");
#pragma omp taskwait
#pragma omp depobj(writes) destroy
#pragma omp depobj(reads) destroy
}

static int reduce(void)
{
    int region = 0, loop = 0;
#pragma omp parallel num_threads(4)
    {
#pragma omp for reduction(task, + : total)
        for (int i = 0; i < 16; i++) {
#pragma omp task in_reduction(+ : total)
            total += i;
        }
        if (total != 120)
            puts("too early");
    }
#pragma omp parallel num_threads(4) reduction(task, + : region)
    {
#pragma omp task in_reduction(+ : region)
        region += 1;
    }
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskloop reduction(+ : loop) grainsize(3)
    for (int i = 0; i < 50; i++)
        loop += i;
    return region * 10000 + loop;
}

int main(void)
{
    cancel();
    wait_for_iterations();
#pragma omp parallel num_threads(4)
#pragma omp single
    depend();
    int reduced = reduce();
    printf("%d %d %d %d %d %d\n", summed, grid[SIDE - 1][SIDE - 1], of_many, object, total,
           reduced);
}
