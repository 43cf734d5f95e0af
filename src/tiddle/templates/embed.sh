#!/bin/sh
# Turns each file into a C string: embed.sh OUT FILE...
set -e
out=$1
shift
{
    echo '#include "tiddle/templates.h"'
    for file; do
        echo "const char template_$(basename "$file" .c)[] ="
        sed 's/\\/\\\\/g; s/"/\\"/g; s/^/    "/; s/$/\\n"/' "$file"
        echo '    ;'
    done
} >"$out"
