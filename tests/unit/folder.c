#include "folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

char folder_path[64];
struct files *folder_files;

int folder_begin(void **state)
{
    const char *top = getenv("TMPDIR");
    (void)state;
    snprintf(folder_path, sizeof folder_path, "%.40s/photos.XXXXXX", top != NULL ? top : "/tmp");
    if (crypto_open() != STATUS_OK || mkdtemp(folder_path) == NULL)
        return -1;
    strcat(folder_path, "/d");
    folder_files = files_open(folder_path);
    return folder_files != NULL ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *found, int kind, struct FTW *where)
{
    (void)found, (void)kind, (void)where;
    return remove(path);
}

int folder_end(void **state)
{
    (void)state;
    files_close(&folder_files);
    *strrchr(folder_path, '/') = '\0';
    return nftw(folder_path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void folder_digest(int number, unsigned char digest[static CRYPTO_DIGEST_SIZE])
{
    crypto_digest(&number, sizeof number, digest);
    *digest = (unsigned char)number;
}

enum status folder_put(enum files_room room, const unsigned char *digest, const char *bytes)
{
    int descriptor = files_new(folder_files);
    if (descriptor < 0)
        return STATUS_UNAVAILABLE;
    enum status status = STATUS_INTERNAL;
    if (write(descriptor, bytes, strlen(bytes)) == (ssize_t)strlen(bytes))
        status = files_put(folder_files, room, descriptor, digest);
    close(descriptor);
    return status;
}

bool folder_stat(struct stat *found, const char *path, ...)
{
    char whole[256];
    va_list arguments;
    int length = snprintf(whole, sizeof whole, "%s/", folder_path);
    va_start(arguments, path);
    vsnprintf(whole + length, sizeof whole - (size_t)length, path, arguments);
    va_end(arguments);
    return lstat(whole, found) == 0;
}

void folder_age(enum files_room room, const unsigned char *digest)
{
    static const char *const rooms[] = {"originals", "pictures"};
    const struct timespec then[] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    char name[CRYPTO_DIGEST_DIGITS + 1], path[256];
    crypto_to_hex(digest, CRYPTO_DIGEST_SIZE, name);
    snprintf(path, sizeof path, "%s/%s/%.2s/%s", folder_path, rooms[room], name, name);
    if (utimensat(AT_FDCWD, path, then, 0) != 0)
        abort();
}

int folder_count(const char *path)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", folder_path, path);
    DIR *stream = opendir(whole);
    int count = 0;
    if (stream == NULL)
        return -1;
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;)
        count += *entry->d_name != '.';
    closedir(stream);
    return count;
}
