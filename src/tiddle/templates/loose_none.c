/* ------------------------------------------------------------------------
 * No order is enforced: the threads do their steps whenever they get to them.
 */
static void await_step(unsigned step)
{
    (void)step;
}
