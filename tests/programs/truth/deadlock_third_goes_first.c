// The second thread comes to its locks only after a third one's post.
// deadlock: A B
#include "steps.h"
MUTEX(m);
MUTEX(n);
sem_t go;
THREAD(a)
{
    LOCK(m);
    LOCK(n); //@A
    UNLOCK(n);
    UNLOCK(m);
    END;
}
THREAD(b)
{
    sem_wait(&go);
    LOCK(n);
    LOCK(m); //@B
    UNLOCK(m);
    UNLOCK(n);
    END;
}
THREAD(c)
{
    SLEEP(2);
    sem_post(&go);
    END;
}
int main(void)
{
    sem_init(&go, 0, 0);
    RUN(a, b, c);
    return 0;
}
