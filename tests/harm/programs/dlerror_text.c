/* The text of dlerror() is the program's until its next question to the dynamic linker. */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
    if (!dlopen("./no-such-library.so", RTLD_NOW))
        puts(dlerror());
    if (!dlsym(RTLD_DEFAULT, "no_such_function"))
        fputs("not found\n", stdout);
    fputs(dlerror() ? "and told so\n" : "and not told\n", stdout);
    return 0;
}
