// deadlock: A
#include "hang.h"
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void make(void)
{
    pthread_once(&once, make); //@A
}
int main(void)
{
    pthread_once(&once, make);
}
