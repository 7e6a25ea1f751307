/*
 * Gives a fuzzer the files of its folder below seeds/, one by one, and says so in TAP.
 */
#include <dirent.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static char folder[4096];

static int is_seed(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* From memory of its exact size, so that reading beyond the end is seen. */
static bool give(const char *name)
{
    char path[sizeof folder + 256];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL || fstat(fileno(file), &status) != 0)
        return false;
    size_t size = (size_t)status.st_size;
    unsigned char *bytes = malloc(size > 0 ? size : 1);
    bool is_read = bytes != NULL && fread(bytes, 1, size, file) == size;
    fclose(file);
    if (is_read)
        LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    return is_read;
}

int main(int argc, char **argv)
{
    struct dirent **seeds = NULL;
    const char *top = getenv("srcdir");
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : "";
    snprintf(folder, sizeof folder, "%s/tests/fuzz/seeds/%s", top != NULL ? top : ".", name);
    int count = scandir(folder, &seeds, is_seed, alphasort), failed = count <= 0;
    printf("1..%d\n", count > 0 ? count : 1);
    if (failed)
        printf("not ok 1 - no seeds in %s\n", folder);
    for (int i = 0; i < count; i++) {
        bool is_given = give(seeds[i]->d_name);
        printf("%sok %d - %s\n", is_given ? "" : "not ", i + 1, seeds[i]->d_name);
        fflush(stdout);
        failed |= !is_given;
        free(seeds[i]);
    }
    free(seeds);
    return failed;
}
