/* ------------------------------------------------------------------------
 * No order is enforced, but each step sleeps until its time: step n until n times
 * this many milliseconds after the start. Likely in order, never certain.
 */
#define MILLISECONDS_A_STEP 5

static struct timespec started;

static void await_step(unsigned step)
{
    struct timespec when = started;
    if (step == NEVER)
        return;
    when.tv_nsec += step % (1000 / MILLISECONDS_A_STEP) * (MILLISECONDS_A_STEP * 1000000L);
    when.tv_sec += step / (1000 / MILLISECONDS_A_STEP) + when.tv_nsec / 1000000000;
    when.tv_nsec %= 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
}

__attribute__((constructor)) static void prepare_clock(void)
{
    clock_gettime(CLOCK_MONOTONIC, &started);
}
