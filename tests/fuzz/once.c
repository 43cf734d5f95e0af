/* In place of libFuzzer: every file named, or of a directory named, is one input of the harness. So
 * every build compiles the harnesses, and its readers get what the fuzzers start from. */
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int inputs;

static int feed(const char *path, const struct stat *status, int kind)
{
    if (kind != FTW_F)
        return 0;
    size_t size = (size_t)status->st_size;
    uint8_t *data = malloc(size + 1);
    FILE *file = fopen(path, "r");
    if (!data || !file || fread(data, 1, size, file) != size)
        return -1;
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    inputs++;
    return 0;
}

int main(int count, char **paths)
{
    for (int i = 1; i < count; i++)
        if (ftw(paths[i], feed, 16)) {
            fprintf(stderr, "%s: cannot be read\n", paths[i]);
            return 1;
        }
    printf("%d inputs\n", inputs);
    return inputs ? 0 : 1;
}
