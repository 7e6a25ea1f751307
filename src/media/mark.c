#include "media/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "media/folder.h"

static const char mark[] = "database";

bool mark_find(int root, char whose[static MARK_SIZE])
{
    int descriptor = openat(root, mark, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    *whose = '\0';
    if (descriptor < 0)
        return errno == ENOENT;
    ssize_t length = read(descriptor, whose, MARK_SIZE - 1);
    folder_close(descriptor);
    if (length < 0)
        return false;
    whose[length] = '\0';
    whose[strcspn(whose, "\n")] = '\0';
    return true;
}

enum status mark_read(const struct files *files, char whose[static MARK_SIZE])
{
    return mark_find(files->root, whose) ? STATUS_OK : folder_fail(files, mark);
}

static bool write_line(int descriptor, const char *text)
{
    bool is_written = dprintf(descriptor, "%s\n", text) >= 0 && fsync(descriptor) == 0;
    folder_close(descriptor);
    return is_written;
}

/* Another name first, so that there is one of the two marks at any time. */
enum status mark_write(const struct files *files, const char *whose)
{
    char name[FOLDER_RANDOM_SIZE];
    folder_random(name);
    int descriptor = openat(files->gone, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool is_marked = descriptor >= 0 && write_line(descriptor, whose) &&
                     renameat(files->gone, name, files->root, mark) == 0 && fsync(files->root) == 0;
    return is_marked ? STATUS_OK : folder_fail(files, mark);
}
