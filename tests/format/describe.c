/* Prints the tables of trace/wire.h as they stand in docs/format.md. */
#include "trace/wire.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) { /* any word: only the version */
        printf("%d\n", ENCODING_VERSION);
        return 0;
    }
#define W(name, value, text) printf("| %d | `%s` | %s |\n", (int)(value), #name, text);
    puts("### Records\n\n| type | name | what follows |\n|---|---|---|");
    WIRE_RECORDS(W)
    puts("\n### Operations\n\n| number | name | operands |\n|---|---|---|");
    WIRE_OPS(W)
    puts("\n### Bits and sizes\n\n| value | name | meaning |\n|---|---|---|");
    WIRE_BITS(W)
#undef W
    puts("\n### The header of a stream\n\n| offset | field | bytes |\n|---|---|---|");
#define W(field, offset, bytes) printf("| %d | `%s` | %d |\n", offset, #field, bytes);
    WIRE_HEADER(W)
#undef W
    return 0;
}
