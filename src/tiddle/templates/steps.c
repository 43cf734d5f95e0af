
UNSEEN void wait_for(unsigned step)
{
    unsigned now;
    if (replayed)
        return;
    while ((now = add(&turn, 0)) != step)
        syscall(SYS_futex, &turn, FUTEX_WAIT_BITSET_PRIVATE, now, NULL, NULL, 1u << step % 32);
    settle();
}

UNSEEN void await_step(unsigned step)
{
    IGNORE_BEGIN();
    wait_for(PLACE(step));
    IGNORE_END();
}

UNSEEN void done_step(const char *text)
{
    IGNORE_BEGIN();
#ifdef PRINT
    puts(text);
    fflush(stdout);
#endif
    (void)text;
    if (!replayed) {
        unsigned step = add(&turn, 1) + 1;
        syscall(SYS_futex, &turn, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, 1u << step % 32);
    }
    IGNORE_END();
}
