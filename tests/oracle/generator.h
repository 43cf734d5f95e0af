/* The generator lives in src/tiddle, where the tool uses it too. */
#include "tiddle/generator.h"
