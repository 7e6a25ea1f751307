/*
 * A preloaded library for programs whose folder of photos is on a disk that gives errors. One call
 * of the C library on that folder fails: the control file (struct control) says how many calls
 * succeed before it, and with which errno it fails.
 *
 *     FAILING_DISK=/path/of/control FAILING_FOLDER=/path/of/photos LD_PRELOAD=failing_disk.so ...
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Shared with the test, and among all processes. */
struct control {
    int before; /* calls that succeed before the one that fails; negative: none fails */
    int error;
    char failed[24]; /* the name of the call that has failed */
};

static struct control *control;
static const char *folder;

/* The web server has the disk of before, and the decoder may not even ask where a descriptor leads.
 */
__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("FAILING_DISK");
    folder = getenv("FAILING_FOLDER");
    if (path == NULL || folder == NULL ||
        (strcmp(program_invocation_short_name, "mapdiaryd") != 0 &&
         strcmp(program_invocation_short_name, "mapdiaryctl") != 0))
        return;
    int file = open(path, O_RDWR | O_CLOEXEC);
    void *memory = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || memory == MAP_FAILED)
        abort();
    close(file);
    control = memory;
}

static int is_within(const char *path)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static int is_of_folder(int descriptor)
{
    char name[32], path[512];
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(name, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0 && is_within(path);
}

static int fails_now(const char *name)
{
    if (__atomic_fetch_sub(&control->before, 1, __ATOMIC_SEQ_CST) != 0)
        return 0;
    snprintf(control->failed, sizeof control->failed, "%s", name);
    errno = control->error;
    return 1;
}

static int fails(const char *name, int descriptor)
{
    int error = errno;
    if (control == NULL || control->before < 0 || !is_of_folder(descriptor)) {
        errno = error;
        return 0;
    }
    errno = error;
    return fails_now(name);
}

static int fails_at(const char *name, int parent, const char *path)
{
    if (*path != '/')
        return parent != AT_FDCWD && fails(name, parent);
    return control != NULL && control->before >= 0 && is_within(path) && fails_now(name);
}

#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

int openat(int parent, const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = va_arg(list, mode_t);
    va_end(list);
    return fails_at("openat", parent, path) ? -1 : REAL(openat)(parent, path, flags, mode);
}

int mkdirat(int parent, const char *path, mode_t mode)
{
    return fails_at("mkdirat", parent, path) ? -1 : REAL(mkdirat)(parent, path, mode);
}

int linkat(int from, const char *path, int to, const char *name, int flags)
{
    return fails_at("linkat", to, name) ? -1 : REAL(linkat)(from, path, to, name, flags);
}

int renameat(int from, const char *path, int to, const char *name)
{
    return fails_at("renameat", to, name) ? -1 : REAL(renameat)(from, path, to, name);
}

int unlinkat(int parent, const char *path, int flags)
{
    return fails_at("unlinkat", parent, path) ? -1 : REAL(unlinkat)(parent, path, flags);
}

int fstatat(int parent, const char *path, struct stat *found, int flags)
{
    return fails_at("fstatat", parent, path) ? -1 : REAL(fstatat)(parent, path, found, flags);
}

int utimensat(int parent, const char *path, const struct timespec times[2], int flags)
{
    return fails_at("utimensat", parent, path) ? -1 : REAL(utimensat)(parent, path, times, flags);
}

int fstat(int descriptor, struct stat *found)
{
    return fails("fstat", descriptor) ? -1 : REAL(fstat)(descriptor, found);
}

int fstatvfs(int descriptor, struct statvfs *found)
{
    return fails("fstatvfs", descriptor) ? -1 : REAL(fstatvfs)(descriptor, found);
}

int fsync(int descriptor)
{
    return fails("fsync", descriptor) ? -1 : REAL(fsync)(descriptor);
}

int fchmod(int descriptor, mode_t mode)
{
    return fails("fchmod", descriptor) ? -1 : REAL(fchmod)(descriptor, mode);
}

int flock(int descriptor, int how);
int flock(int descriptor, int how)
{
    return fails("flock", descriptor) ? -1 : REAL(flock)(descriptor, how);
}

int ftruncate(int descriptor, off_t length)
{
    return fails("ftruncate", descriptor) ? -1 : REAL(ftruncate)(descriptor, length);
}

ssize_t read(int descriptor, void *bytes, size_t length)
{
    return fails("read", descriptor) ? -1 : REAL(read)(descriptor, bytes, length);
}

ssize_t pread(int descriptor, void *bytes, size_t length, off_t at)
{
    return fails("pread", descriptor) ? -1 : REAL(pread)(descriptor, bytes, length, at);
}

ssize_t write(int descriptor, const void *bytes, size_t length)
{
    return fails("write", descriptor) ? -1 : REAL(write)(descriptor, bytes, length);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t at)
{
    return fails("pwrite", descriptor) ? -1 : REAL(pwrite)(descriptor, bytes, length, at);
}

DIR *fdopendir(int descriptor)
{
    return fails("fdopendir", descriptor) ? NULL : REAL(fdopendir)(descriptor);
}

struct dirent *readdir(DIR *stream)
{
    return fails("readdir", dirfd(stream)) ? NULL : REAL(readdir)(stream);
}
