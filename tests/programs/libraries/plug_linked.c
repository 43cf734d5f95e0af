// A library that was built for preplay, in a program that was not and is linked with it.
// host: host_linked.c
// case locks: race counter
// case conditions: race counter
// case semaphores: race counter
#include "plug.h"
