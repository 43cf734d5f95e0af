/* Changes files in every way that there is, and needs all of them as they were. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int found, passed;

static void must(int result, const char *what)
{
    if (result < 0) {
        perror(what);
        abort();
    }
}

static void put(const char *path, const char *mode, const char *text)
{
    FILE *file = fopen(path, mode);
    must(file ? 0 : -1, path);
    fputs(text, file);
    fclose(file);
}

static void is(const char *path, const char *expected)
{
    char text[64] = "";
    FILE *file = fopen(path, "r");
    must(file ? 0 : -1, path);
    must(fgets(text, sizeof text, file) && strcmp(text, expected) == 0 ? 0 : -1, path);
    fclose(file);
}

static void is_absent(const char *path)
{
    must(access(path, F_OK) == 0 ? -1 : 0, path);
}

static void has_mode(const char *path, mode_t mode)
{
    struct stat status;
    must(stat(path, &status), path);
    must((status.st_mode & 07777) == mode ? 0 : -1, path);
}

static void has_time(const char *path, time_t time)
{
    struct stat status;
    must(stat(path, &status), path);
    must(status.st_mtime == time ? 0 : -1, path);
}

static void expect(void)
{
    is("overwritten", "old overwritten\n");
    is("appended", "old appended\n");
    is("renamed", "old renamed\n");
    is("removed", "old removed\n");
    is("linked", "old removed\n");
    is("truncated", "old truncated\n");
    is("mapped", "old mapped\n");
    is("replaced", "old replaced\n");
    is("emptied/file", "old emptied/file\n");
    is("moved/deep/file", "old moved/deep/file\n");
    has_mode("mode", 0640);
    has_mode("mode_open", 0640);
    has_mode("mode_inside", 0750);
    has_time("time", 1000);
    is_absent("created");
    is_absent("made");
    is_absent("renamed.to");
    is_absent("moved.to");
}

static void map(void)
{
    int file = open("mapped", O_RDWR);
    must(file, "mapped");
    char *text = mmap(NULL, 4, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    must(text == MAP_FAILED ? -1 : 0, "mmap");
    memcpy(text, "new", 3);
    munmap(text, 4);
    close(file);
}

static void change_attributes(void)
{
    struct timespec times[2] = {{2000, 0}, {2000, 0}};
    must(chmod("mode", 0600), "chmod");
    must(chmod("mode_inside", 0700), "chmod of a directory");
    must(utimensat(AT_FDCWD, "time", times, 0), "utimensat");
}

/* What has a name and is no file of the working directory: it stays behind, and each run is the
 * first to make it. And a file of which only a descriptor is known. */
static void share(const char *name)
{
    int file = open("mode_open", O_RDONLY);
    must(fchmod(file, 0600), "fchmod");
    close(file);
    file = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
    must(file, "shm_open");
    must((int)write(file, "new", 3), "write");
    close(file);
    must(sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED ? -1 : 0, "sem_open");
}

static void change(void)
{
    char temporary[] = "temporary.XXXXXX";
    put("created", "wx", "new\n");
    put("overwritten", "w", "new\n");
    put("appended", "a", "new\n");
    must(rename("renamed", "renamed.to"), "rename");
    must(unlink("removed"), "unlink");
    must(unlink("linked"), "unlink a link");
    must(truncate("truncated", 3), "truncate");
    map();
    put("replaced.new", "wx", "new\n");
    must(rename("replaced.new", "replaced"), "replace");
    must(mkdir("made", 0755), "mkdir");
    put("made/file", "wx", "new\n");
    must(unlink("emptied/file"), "unlink in a directory");
    must(rmdir("emptied"), "rmdir");
    must(rename("moved", "moved.to"), "rename a directory");
    must(mkstemp(temporary), "mkstemp");
    change_attributes();
    if (getenv("SHARED"))
        share(getenv("SHARED"));
    /* Nothing of ours sees these two. */
    must((int)syscall(SYS_openat, AT_FDCWD, "unseen", O_CREAT | O_WRONLY, 0644), "openat");
    must(system("echo child >>by_child"), "system");
}

static void *other(void *unused)
{
    found = 1;
    pthread_mutex_lock(&lock);
    passed++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    expect();
    change();
    pthread_create(&thread, NULL, other, NULL);
    usleep(100000);
    pthread_mutex_lock(&lock);
    passed++;
    pthread_mutex_unlock(&lock);
    printf("%d\n", found);
    return pthread_join(thread, NULL);
}
