/* ------------------------------------------------------------------------
 * No order is enforced: every step lets other threads go first.
 */
static void await_step(unsigned step)
{
    (void)step;
    sched_yield();
}
