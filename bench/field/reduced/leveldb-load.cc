// A fixed load for leveldb: three threads put, get and delete, with a small write buffer, so that
// the background thread has to compact.
#include "leveldb/db.h"

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

static void work(leveldb::DB *db, int me)
{
    std::string value(100, char('a' + me)), got;
    for (int i = 0; i < 400; i++) {
        std::string key = "key" + std::to_string((i * 7 + me * 13) % 300);
        db->Put(leveldb::WriteOptions(), key, value);
        db->Get(leveldb::ReadOptions(), key, &got);
        if (i % 10 == 0)
            db->Delete(leveldb::WriteOptions(), key);
    }
}

int main(int, char **arguments)
{
    leveldb::DB *db;
    leveldb::Options options;
    options.create_if_missing = true;
    options.write_buffer_size = 64 << 10;
    if (!leveldb::DB::Open(options, arguments[1], &db).ok())
        return 1;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back(work, db, i);
    for (std::thread &thread : threads)
        thread.join();
    delete db;
    puts("done");
    return 0;
}
