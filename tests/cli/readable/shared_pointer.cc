// one shared_ptr object read and reset by two threads (the count is atomic; the pointer is not)
#include <memory>
#include <thread>
#include <vector>
#include <map>
#include <string>
#include <cstdio>
#include <mutex>
using Table = std::map<std::string, std::vector<std::pair<int, std::string>>>;
static std::shared_ptr<Table> current = std::make_shared<Table>();
static std::mutex log_m;
static void log(const char *s)
{
    std::lock_guard<std::mutex> g(log_m);
    puts(s);
}
static void reload()
{
    auto t = std::make_shared<Table>();
    (*t)["a"].emplace_back(1, "x");
    current = t;
    log("reloaded");
}
static void query()
{
    log("query");
    std::shared_ptr<Table> t = current;
    printf("%zu\n", t->size());
}
int main()
{
    std::thread a(reload);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::thread b(query);
    a.join();
    b.join();
}
