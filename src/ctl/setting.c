#include "ctl/setting.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/user.h"
#include "cli/new_file.h"

static bool is_commented(const char *line, const char *name)
{
    size_t length = strlen(name);
    return *line == '#' && strncmp(line + 1, name, length) == 0 &&
           line[1 + length + strspn(line + 1 + length, " ")] == '=';
}

static int find_commented(FILE *file, const char *name)
{
    char *line = NULL;
    size_t size = 0;
    int number = 0, found = 0;
    while (found == 0 && getline(&line, &size, file) > 0) {
        number++;
        found = is_commented(line, name) ? number : 0;
    }
    free(line);
    rewind(file);
    return found;
}

/* With the setting as the line of that number; 0 is the end. */
static void copy(FILE *from, FILE *to, int place, const char *name, const char *value)
{
    char *line = NULL;
    size_t size = 0;
    bool is_ended = true;
    for (int number = 1; getline(&line, &size, from) > 0; number++) {
        is_ended = strchr(line, '\n') != NULL;
        if (number == place)
            fprintf(to, "%s = %s\n", name, value);
        else
            fputs(line, to);
    }
    if (place == 0)
        fprintf(to, "%s%s = %s\n", is_ended ? "" : "\n", name, value);
    free(line);
}

/* The new file is the caller's, and nobody else's, until it is as the old one. */
static bool make_alike(FILE *from, FILE *to)
{
    struct stat found;
    user_return();
    bool good = fstat(fileno(from), &found) == 0 &&
                fchown(fileno(to), found.st_uid, found.st_gid) == 0 &&
                fchmod(fileno(to), found.st_mode & 07777) == 0;
    user_resume();
    return good;
}

static enum status rewrite(FILE *from, const char *path, int place, const char *name,
                           const char *value)
{
    struct new_file file;
    enum status status = new_file_open(&file, path);
    if (status != STATUS_OK)
        return status;
    copy(from, file.file, place, name, value);
    if (!ferror(from) && make_alike(from, file.file))
        return new_file_keep(&file);
    log_error("%s: %s", path, strerror(errno));
    new_file_drop(&file);
    return STATUS_INTERNAL;
}

enum status setting_write(const char *path, const struct config *config, const char *name,
                          const char *value)
{
    user_return();
    FILE *from = fopen(path, "re");
    user_resume();
    if (from == NULL) {
        log_error("%s: %s", path, strerror(errno));
        return STATUS_INTERNAL;
    }
    int place = config_line(config, name);
    if (place == 0)
        place = find_commented(from, name);
    enum status status = rewrite(from, path, place, name, value);
    fclose(from);
    return status;
}
