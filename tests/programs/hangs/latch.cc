// deadlock: A A B
// flags: -std=c++20
// Two of three come to the latch; the third waits for a semaphore that they would release.
#include <latch>
#include <semaphore>
#include <thread>
static std::latch all(3);
static std::counting_semaphore<10> turn(0);
static void work()
{
    all.arrive_and_wait(); //@A
    turn.release();
}
int main()
{
    std::jthread first(work), second(work);
    turn.acquire(); //@B
    all.count_down();
}
