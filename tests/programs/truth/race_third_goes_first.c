// The second writer needs a third thread's post before it may write.
// race: A B
#include "steps.h"
MUTEX(m);
sem_t go;
int x;
THREAD(a)
{
    x = 1; //@A
    PASS(m);
    END;
}
THREAD(b)
{
    sem_wait(&go);
    PASS(m);
    x = 2; //@B
    END;
}
THREAD(c)
{
    SLEEP(1);
    sem_post(&go);
    END;
}
int main(void)
{
    sem_init(&go, 0, 0);
    RUN(a, b, c);
    return 0;
}
