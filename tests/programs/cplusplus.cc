// The C++ library's threads, locks, statics, exceptions and containers.
// expect: acq(
// expect: oncebegin(
// hb: none
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::shared_mutex shared;
static std::condition_variable condition;
static bool ready;
static std::vector<std::string> words;

struct Base {
    virtual ~Base() = default;
    virtual int value() const
    {
        return 1;
    }
};
struct Derived : Base {
    int value() const override
    {
        return 2;
    }
};

static const std::string &name()
{
    static const std::string text(100, 'n');
    return text;
}

static void thrower(int depth)
{
    if (!depth)
        throw std::runtime_error("deep");
    thrower(depth - 1);
}

/* The first attempt throws, the second succeeds. */
static bool once_more()
{
    static std::once_flag flag;
    int tries = 0;
    for (int i = 0; i < 2; i++)
        try {
            std::call_once(flag, [&] {
                if (!tries++)
                    throw std::runtime_error("not yet");
            });
        } catch (const std::exception &) {
        }
    return tries == 2;
}

int main()
{
    std::unique_ptr<Base> object(new Derived);
    std::thread worker([&] {
        std::unique_lock<std::mutex> lock(mutex);
        condition.wait(lock, [] { return ready; });
        words.push_back(name());
        std::shared_lock<std::shared_mutex> reading(shared);
    });
    {
        std::lock_guard<std::mutex> lock(mutex);
        ready = true;
        words.push_back(name());
    }
    condition.notify_one();
    for (int i = 0; i < 50; i++)
        try {
            thrower(10);
        } catch (const std::exception &) {
        }
    std::unique_lock<std::shared_mutex> writing(shared);
    writing.unlock();
    worker.join();
    return words.size() == 2 && object->value() == 2 && once_more() ? 0 : 1;
}
