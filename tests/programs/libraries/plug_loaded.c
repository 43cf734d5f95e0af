// A library that was built for preplay, in a program that was not and loads it late.
// host: host_dlopen.c
// case locks: race counter
// case conditions: race counter
// case semaphores: race counter
#include "plug.h"
