// Exceptions that threads share: whoever drops one last destroys what the others have read. That
// he is last is counted inside the C++ library, and the threads take turns by a file's position,
// which orders nothing: only the counting says that there is no race.
// auto: none
// tsan only: it does not see the counting
#include <cstdio>
#include <cstring>
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

struct Own : std::exception {
    std::string text = "a text that does not fit into the object itself";
    const char *what() const noexcept override
    {
        return text.c_str();
    }
};

static int file;

static void wait_for(off_t turn)
{
    while (lseek(file, 0, SEEK_CUR) != turn)
        std::this_thread::yield();
}

static size_t look(std::exception_ptr &held)
{
    try {
        std::exception_ptr mine;
        mine.swap(held);
        std::rethrow_exception(mine);
    } catch (const std::exception &error) {
        return strlen(error.what());
    } catch (int number) {
        return (size_t)number;
    }
}

/* The first thread looks and drops, then the second. */
static bool share(std::exception_ptr one)
{
    std::exception_ptr other = one;
    size_t first = 0, second = 0;
    lseek(file, 0, SEEK_SET);
    std::thread early([&] {
        first = look(one);
        lseek(file, 1, SEEK_SET);
    });
    std::thread late([&] {
        wait_for(1);
        second = look(other);
    });
    early.join();
    late.join();
    return first > 0 && first == second;
}

/* Who asks for the result drops it first, then the thread that threw it. */
static bool throw_in_task()
{
    size_t length = 0;
    lseek(file, 0, SEEK_SET);
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread worker([promise = std::move(promise)]() mutable {
        try {
            throw std::runtime_error("thrown");
        } catch (const std::exception &) {
            promise.set_exception(std::current_exception());
            std::promise<int>().swap(promise);
            wait_for(1);
        }
    });
    try {
        std::future<int>(std::move(future)).get();
    } catch (const std::exception &error) {
        length = strlen(error.what());
    }
    lseek(file, 1, SEEK_SET);
    worker.join();
    return length > 0;
}

template <class Thrown> static std::exception_ptr thrown(const Thrown &object)
{
    try {
        throw object;
    } catch (...) {
        return std::current_exception();
    }
}

int main()
{
    file = fileno(tmpfile());
    bool good = share(thrown(42)) && share(thrown(std::runtime_error("deep")));
    return good && share(std::make_exception_ptr(Own())) && throw_in_task() ? 0 : 1;
}
