// template-heavy: names of thousands of characters; a race and a lock-order inversion
#include <unistd.h>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <vector>
template <class... T> struct Pack {
};
template <int N> struct Nest {
    using type = Pack<std::map<std::string, typename Nest<N - 1>::type>,
                      std::vector<std::unique_ptr<typename Nest<N - 1>::type>>>;
};
template <> struct Nest<0> {
    using type = std::tuple<std::string, int>;
};
template <class T> struct Store {
    std::mutex guard;
    std::vector<int> rows = std::vector<int>(4);
    template <class F> void each(F f)
    {
        for (int i = 0; i < 2; i++)
            f(rows[i]);
    }
    void run()
    {
        each([this](int &row) { row++; });
    }
};
template <class T> Store<T> store;
template <class T> std::mutex other;
template <class T> void forth()
{
    std::lock_guard<std::mutex> a(store<T>.guard);
    std::lock_guard<std::mutex> b(other<T>);
}
template <class T> void back()
{
    std::lock_guard<std::mutex> a(other<T>);
    std::lock_guard<std::mutex> b(store<T>.guard);
}
int main()
{
    using Deep = Nest<5>::type;
    auto work = [] { store<Deep>.run(); };
    std::thread a(work), b(work);
    a.join();
    b.join();
    std::thread c(back<Deep>), d([] {
        usleep(100000);
        forth<Deep>();
    });
    c.join();
    d.join();
}
