// Things that C++ does once: static locals, std::call_once.
// compilers: gcc clang libc++
// build: -std=c++17
// case static_local: race .*
// case static_string: race .*
// case static_of_template: race .*
// case static_after_throw: race made
// case call_once: race chosen
// case call_once_after_throw: race chosen
#include "zoo.h"

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int chosen;

template <class Work> static void by_two(Work work)
{
    std::thread first(work), second([&] {
        zoo_later();
        work();
    });
    first.join();
    second.join();
}

struct numbers {
    std::vector<int> values;
    numbers() : values(10, 1) {}
};

/* What the compiler would do itself, without the acquire of the one and the release of the other. */
static bool is_made;
alignas(numbers) static char place[sizeof(numbers)];

static numbers &by_hand()
{
    if (!is_made) {
        new (place) numbers;
        is_made = true;
    }
    return *reinterpret_cast<numbers *>(place);
}

static numbers &guarded()
{
    static numbers made;
    return made;
}

static void static_local()
{
    by_two([] { ZOO_SEES((wrong ? by_hand() : guarded()).values[3] == 1); });
}

static const std::string &name()
{
    static const std::string text = "a text that is too long to be kept in place";
    if (wrong)
        const_cast<std::string &>(text)[0] = 'A';
    return text;
}

static void static_string()
{
    by_two([] { ZOO_SEES(name().size() == 43); });
}

template <class Key> static std::map<Key, int> &table()
{
    static std::map<Key, int> made = {{1, 2}, {2, 3}};
    return made;
}

static void static_of_template()
{
    by_two([] {
        if (wrong)
            table<int>().at(1)++;
        ZOO_SEES(table<int>().at(1) == 2);
    });
}

struct unlucky {
    int value;
    explicit unlucky(int &tries) : value(7)
    {
        if (!tries++)
            throw std::runtime_error("not at first");
    }
};

static int tries;

static int lucky()
{
    static unlucky made(tries);
    if (wrong)
        made.value++;
    return made.value;
}

static void static_after_throw()
{
    by_two([] {
        try {
            ZOO_SEES(lucky() == 7);
        } catch (const std::runtime_error &) {
            zoo_later();
            zoo_later();
            ZOO_SEES(lucky() == 7);
        }
    });
}

static void call_once()
{
    std::once_flag flag;
    by_two([&] {
        if (wrong)
            chosen = 5;
        std::call_once(flag, [] { chosen = 5; });
        ZOO_SEES(chosen == 5);
    });
}

static void call_once_after_throw()
{
    std::once_flag flag;
    bool thrown = false;
    std::thread first([&] {
        try {
            std::call_once(flag, [&] {
                thrown = true;
                throw std::runtime_error("not at first");
            });
        } catch (const std::runtime_error &) {
        }
    });
    first.join();
    by_two([&] {
        std::call_once(flag, [] { chosen = 5; });
        if (wrong)
            chosen++;
        ZOO_SEES(chosen == 5);
    });
}

ZOO_MAIN({"static_local", static_local}, {"static_string", static_string},
         {"static_of_template", static_of_template}, {"static_after_throw", static_after_throw},
         {"call_once", call_once}, {"call_once_after_throw", call_once_after_throw})
