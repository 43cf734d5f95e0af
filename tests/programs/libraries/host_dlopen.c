/* A program that knows nothing of preplay and loads a library that was built for it. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = dlopen("./plug.so", RTLD_NOW);
    int (*run)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "plug") : NULL;
    if (!run) {
        puts(dlerror());
        return 9;
    }
    return run(argc, argv);
}
