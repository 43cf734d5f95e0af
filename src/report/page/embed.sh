#!/bin/sh
# Turns each file into a C string: embed.sh OUT FILE...
set -e
out=$1
shift
{
    echo '#include "report/html.h"'
    for file; do
        name=$(basename "$file")
        echo "const char page_${name%.*}[] ="
        sed 's/\\/\\\\/g; s/"/\\"/g; s/^/    "/; s/$/\\n"/' "$file"
        echo '    ;'
    done
} >"$out"
