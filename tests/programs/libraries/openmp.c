// OpenMP, with gcc's library and with LLVM's.
// build: -fopenmp
// case regions: race value
// case barriers: race value
// case critical_sections: race value
// case ordered_sections: race value
// case reductions: race value
// case copies: race value
// case locks: race value
// case tasks: race value
// case dependent_tasks: race value
// case groups: race value
// case task_loops: race value
#include "zoo.h"

#include <omp.h>

static int value, places[64];

static void regions(void)
{
    value = 1;
#pragma omp parallel num_threads(3)
    {
        ZOO_SEES(value == 1);
        if (wrong)
            value++;
    }
    value = 2;
#pragma omp parallel for num_threads(3)
    for (int i = 0; i < 64; i++)
        places[i] = i;
    ZOO_SEES(places[40] == 40 && value == 2);
}

static void barriers(void)
{
#pragma omp parallel num_threads(3)
    for (int round = 0; round < 3; round++) {
        if (omp_get_thread_num() == round)
            value = round;
#pragma omp barrier
        ZOO_SEES(value == round);
        if (!wrong) {
#pragma omp barrier
        }
    }
}

static void critical_sections(void)
{
#pragma omp parallel num_threads(3)
    for (int i = 0; i < 10; i++) {
        if (wrong)
            value++;
#pragma omp critical(counting)
        value++;
    }
    ZOO_SEES(value == 30);
}

static void ordered_sections(void)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(3)
    for (int i = 0; i < 12; i++) {
        if (wrong)
            value++;
#pragma omp ordered
        {
            ZOO_SEES(value == i);
            value++;
        }
    }
}

static void reductions(void)
{
    int sum = 0;
    long product = 1;
#pragma omp parallel for reduction(+ : sum) reduction(* : product) num_threads(4)
    for (int i = 1; i < 9; i++) {
        sum += i;
        product *= i;
        if (wrong)
            value += i;
    }
    ZOO_SEES(sum == 36 && product == 40320);
}

static void copies(void)
{
#pragma omp parallel num_threads(3)
    {
        int mine;
#pragma omp single copyprivate(mine)
        {
            mine = 5;
            value = 5;
        }
        ZOO_SEES(mine == 5 && value == 5);
        if (wrong)
            value++;
    }
}

static void locks(void)
{
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
    for (int i = 0; i < 10; i++) {
        omp_set_lock(&lock);
        if (!wrong)
            value++;
        omp_unset_lock(&lock);
        if (wrong)
            value++;
    }
    omp_destroy_lock(&lock);
}

static void tasks(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        for (int i = 0; i < 12; i++) {
            places[i] = i;
#pragma omp task firstprivate(i)
            {
                usleep(wrong ? 5000 : 500); /* for others to come and take their share */
                places[i]++;
                if (wrong)
                    value++;
            }
        }
#pragma omp taskwait
        for (int i = 0; i < 12; i++)
            ZOO_SEES(places[i] == i + 1);
    }
}

static void dependent_tasks(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task depend(out : value)
        {
            usleep(500);
            value = 1;
        }
        if (wrong) {
            for (int i = 0; i < 12; i++)
#pragma omp task
            {
                usleep(5000); /* for others to come and take their share */
                value = 2;
            }
        } else {
#pragma omp task depend(inout : value)
            value++;
        }
#pragma omp task depend(in : value)
        ZOO_SEES(value == 2);
    }
}

static void groups(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp taskgroup
        for (int i = 0; i < 4; i++) {
#pragma omp task firstprivate(i)
            {
#pragma omp task firstprivate(i)
                {
                    usleep(wrong ? 20000 : 500);
                    places[i] = 1;
                    if (wrong)
                        value++;
                }
            }
        }
        ZOO_SEES(places[0] + places[1] + places[2] + places[3] == 4);
    }
}

static void task_loops(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        int base = 3;
#pragma omp taskloop grainsize(2) firstprivate(base)
        for (int i = 0; i < 16; i++) {
            usleep(wrong ? 5000 : 200);
            places[i] = base + i;
            if (wrong)
                value++;
        }
        ZOO_SEES(places[15] == 18);
    }
}

ZOO_MAIN({"regions", regions}, {"barriers", barriers}, {"critical_sections", critical_sections},
         {"ordered_sections", ordered_sections}, {"reductions", reductions}, {"copies", copies},
         {"locks", locks}, {"tasks", tasks}, {"dependent_tasks", dependent_tasks},
         {"groups", groups}, {"task_loops", task_loops})
