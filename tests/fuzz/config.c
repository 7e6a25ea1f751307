/* The configuration: a file that is taken reads back as what is printed of it. */
#include "base/config.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "fuzz.h"

static enum status read_bytes(struct config *config, const void *bytes, size_t size)
{
    char path[64];
    int file = memfd_create("configuration", MFD_CLOEXEC);
    REQUIRE(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    enum status status = config_read(config, path);
    close(file);
    return status;
}

static char *printed(const struct config *config, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    REQUIRE(out != NULL);
    config_print(config, out);
    REQUIRE(fclose(out) == 0);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config config, again;
    size_t length = 0;
    log_set_level((enum log_level)0); /* nothing */
    if (read_bytes(&config, data, size) == STATUS_OK) {
        char *text = printed(&config, &length);
        REQUIRE(read_bytes(&again, text, length) == STATUS_OK);
        char *text_again = printed(&again, &length);
        REQUIRE(strcmp(text, text_again) == 0);
        free(text);
        free(text_again);
        config_free(&again);
    }
    config_free(&config);
    return 0;
}
