#include "media/files.h"
#include "media/disk.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "folder.h"
#include "unit.h"

enum { ROUNDS = 200 };

/* By a clock that is not behind that of the file system, as time(2) may be. */
static bool is_recent(int64_t seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return seconds <= now.tv_sec && now.tv_sec - seconds < 60;
}

static void what_is_put_is_there(void **state)
{
    unsigned char digest[CRYPTO_DIGEST_SIZE], other[CRYPTO_DIGEST_SIZE];
    (void)state;
    folder_digest(7, digest);
    folder_digest(8, other);
    for (int room = 0; room < FILES_ROOMS; room++) {
        struct files_entry entry;
        char bytes[8] = "";
        assert_int_equal(folder_put((enum files_room)room, digest, "bytes"), STATUS_OK);
        assert_int_equal(files_head(folder_files, (enum files_room)room, digest, &entry),
                         STATUS_OK);
        assert_memory_equal(entry.digest, digest, sizeof digest);
        assert_int_equal(entry.length, 5);
        assert_true(is_recent(entry.put_at));
        int descriptor = files_get(folder_files, (enum files_room)room, digest);
        assert_int_equal(read(descriptor, bytes, sizeof bytes), 5);
        assert_string_equal(bytes, "bytes");
        close(descriptor);
        assert_int_equal(files_head(folder_files, (enum files_room)room, other, &entry),
                         STATUS_NOT_FOUND);
        assert_int_equal(files_get(folder_files, (enum files_room)room, other), -1);
    }
}

/* A web server may read a picture whose name it is told, and nobody what was sent. */
static void modes_whatever_the_umask(void **state)
{
    static const mode_t masks[] = {0, 0077};
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    char path[FILES_PATH_SIZE];
    struct stat found;
    (void)state;
    for (int i = 0; i < 2; i++) {
        mode_t mask = umask(masks[i]);
        folder_digest(20 + i, digest);
        assert_int_equal(folder_put(FILES_PICTURES, digest, ""), STATUS_OK);
        assert_int_equal(folder_put(FILES_ORIGINALS, digest, ""), STATUS_OK);
        umask(mask);
        files_path(digest, path);
        assert_true(folder_stat(&found, "%s", path));
        assert_int_equal(found.st_mode, S_IFREG | 0644);
        assert_true(folder_stat(&found, "originals/%s", strchr(path, '/') + 1));
        assert_int_equal(found.st_mode, S_IFREG | 0600);
        assert_true(folder_stat(&found, "pictures/%02x", 20 + i));
        assert_int_equal(found.st_mode, S_IFDIR | 0711);
        assert_true(folder_stat(&found, "originals/%02x", 20 + i));
        assert_int_equal(found.st_mode, S_IFDIR | 0700);
    }
    static const struct {
        const char *name;
        mode_t mode;
    } folders[] = {
        {".", 0711}, {"originals", 0700}, {"pictures", 0711}, {"public", 0711}, {"gone", 0700}};
    for (size_t i = 0; i < COUNT(folders); i++) {
        assert_true(folder_stat(&found, "%s", folders[i].name));
        expect_integer(folders[i].name, found.st_mode, S_IFDIR | folders[i].mode);
    }
}

static void equal_bytes_are_there_once(void **state)
{
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    struct files_entry entry;
    struct stat first, then;
    char path[FILES_PATH_SIZE];
    (void)state;
    folder_digest(30, digest);
    files_path(digest, path);
    assert_int_equal(folder_put(FILES_PICTURES, digest, "bytes"), STATUS_OK);
    folder_age(FILES_PICTURES, digest);
    assert_true(folder_stat(&first, "%s", path));
    assert_int_equal(folder_put(FILES_PICTURES, digest, "bytes"), STATUS_OK);
    assert_true(folder_stat(&then, "%s", path));
    assert_int_equal(first.st_ino, then.st_ino);
    assert_int_equal(then.st_nlink, 1);
    assert_int_equal(files_head(folder_files, FILES_PICTURES, digest, &entry), STATUS_OK);
    assert_true(is_recent(entry.put_at)); /* put anew */
}

static void what_was_put_anew_stays(void **state)
{
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    struct files_entry seen;
    (void)state;
    folder_digest(40, digest);
    memcpy(seen.digest, digest, sizeof digest);
    assert_int_equal(files_delete(folder_files, FILES_ORIGINALS, &seen), STATUS_NOT_FOUND);
    assert_int_equal(folder_put(FILES_ORIGINALS, digest, "bytes"), STATUS_OK);
    folder_age(FILES_ORIGINALS, digest);
    assert_int_equal(files_head(folder_files, FILES_ORIGINALS, digest, &seen), STATUS_OK);
    assert_int_equal(folder_put(FILES_ORIGINALS, digest, "bytes"), STATUS_OK);
    assert_int_equal(files_delete(folder_files, FILES_ORIGINALS, &seen), STATUS_CONFLICT);
    assert_int_equal(files_head(folder_files, FILES_ORIGINALS, digest, &seen), STATUS_OK);
    assert_int_equal(files_delete(folder_files, FILES_ORIGINALS, &seen), STATUS_OK);
    assert_int_equal(files_head(folder_files, FILES_ORIGINALS, digest, &seen), STATUS_NOT_FOUND);
    assert_int_equal(files_delete(folder_files, FILES_ORIGINALS, &seen), STATUS_NOT_FOUND);
}

/* However soon that is. */
static void what_was_put_anew_at_once_stays(void **state)
{
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    struct files_entry seen;
    (void)state;
    folder_digest(41, digest);
    assert_int_equal(files_head_settled(folder_files, FILES_ORIGINALS, digest, &seen),
                     STATUS_NOT_FOUND);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(folder_put(FILES_ORIGINALS, digest, "bytes"), STATUS_OK);
        assert_int_equal(files_head_settled(folder_files, FILES_ORIGINALS, digest, &seen),
                         STATUS_OK);
        assert_int_equal(folder_put(FILES_ORIGINALS, digest, "bytes"), STATUS_OK);
        assert_int_equal(files_delete(folder_files, FILES_ORIGINALS, &seen), STATUS_CONFLICT);
    }
    assert_int_equal(files_head_settled(folder_files, FILES_ORIGINALS, digest, &seen), STATUS_OK);
    assert_int_equal(files_delete(folder_files, FILES_ORIGINALS, &seen), STATUS_OK);
}

/* List ---------------------------------------------------------------------------------------- */

struct listed {
    int count, most;
    struct files_entry entries[64];
};

static enum status take(void *context, enum files_room room, const struct files_entry *entry)
{
    struct listed *listed = context;
    if (room != FILES_PICTURES || listed->count == listed->most)
        return STATUS_VOTE_CLOSED;
    listed->entries[listed->count++] = *entry;
    return STATUS_OK;
}

static void make(const char *path)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", folder_path, path);
    int descriptor = open(whole, O_CREAT | O_WRONLY, 0600);
    assert_true(descriptor >= 0);
    close(descriptor);
}

static void all_are_listed_in_order(void **state)
{
    static const int numbers[] = {0x203, 0x1ff, 0x100, 0x3, 0x2aa, 0x103};
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    struct listed listed = {.most = 64};
    (void)state;
    assert_int_equal(files_list(folder_files, FILES_PICTURES, take, &listed), STATUS_OK);
    assert_int_equal(listed.count, 0);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        folder_digest(numbers[i], digest);
        assert_int_equal(folder_put(FILES_PICTURES, digest, "bytes"), STATUS_OK);
    }
    assert_int_equal(files_list(folder_files, FILES_PICTURES, take, &listed), STATUS_OK);
    assert_int_equal(listed.count, COUNT(numbers));
    for (int i = 1; i < listed.count; i++)
        assert_true(
            memcmp(listed.entries[i - 1].digest, listed.entries[i].digest, CRYPTO_DIGEST_SIZE) < 0);
    listed = (struct listed){.most = 4};
    assert_int_equal(files_list(folder_files, FILES_PICTURES, take, &listed), STATUS_VOTE_CLOSED);
    assert_int_equal(listed.count, 4);
}

static void strangers_are_named_and_left_out(void **state)
{
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    struct listed listed = {.most = 64};
    char name[CRYPTO_DIGEST_DIGITS + 1], path[128];
    static const char *const said[] = {"pictures/stray ", "pictures/aa/.nfs1 ", "pictures/aa/AA",
                                       "pictures/aa/bb"};
    (void)state;
    folder_digest(0xaa, digest);
    assert_int_equal(folder_put(FILES_PICTURES, digest, "bytes"), STATUS_OK);
    make("pictures/stray");
    make("pictures/aa/.nfs1");
    crypto_to_hex(digest, sizeof digest, name);
    name[0] = 'A', name[1] = 'A'; /* the same digest */
    snprintf(path, sizeof path, "pictures/aa/%s", name);
    make(path);
    name[0] = 'b', name[1] = 'b'; /* of another folder */
    snprintf(path, sizeof path, "pictures/aa/%s", name);
    make(path);
    unit_log_begin();
    enum status status = files_list(folder_files, FILES_PICTURES, take, &listed);
    char *log = unit_log_end();
    assert_int_equal(status, STATUS_OK);
    assert_int_equal(listed.count, 1);
    for (size_t i = 0; i < COUNT(said); i++)
        if (strstr(log, said[i]) == NULL)
            fail_msg("%s is not named: %s", said[i], log);
    free(log);
}

static void what_is_gone_goes_after_a_while(void **state)
{
    (void)state;
    make("gone/of-a-crash");
    assert_int_equal(files_empty(folder_files, 3600), STATUS_OK);
    assert_int_equal(folder_count("gone"), 1);
    assert_int_equal(files_empty(folder_files, 0), STATUS_OK);
    assert_int_equal(folder_count("gone"), 0);
}

/* How often readdir() answers before the disk fails; -1 for a disk that does not. */
static int answers = -1;
static bool has_failed;

/* Stands before that of the C library. */
struct dirent *readdir(DIR *stream)
{
    static struct dirent *(*next)(DIR *);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "readdir");
    if (answers == 0) {
        has_failed = true;
        errno = EIO;
        return NULL;
    }
    if (answers > 0)
        answers--;
    return next(stream);
}

static enum status list_with(int answers_before, char **log)
{
    struct listed listed = {.most = 64};
    unit_log_begin();
    has_failed = false;
    answers = answers_before;
    enum status status = files_list(folder_files, FILES_PICTURES, take, &listed);
    answers = -1;
    *log = unit_log_end();
    return status;
}

static void a_disk_that_fails_while_a_list_is_read(void **state)
{
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    char *log;
    int before = 0;
    (void)state;
    for (int number = 0; number < 3; number++) {
        folder_digest(number, digest);
        assert_int_equal(folder_put(FILES_PICTURES, digest, "bytes"), STATUS_OK);
    }
    for (; list_with(before, &log) != STATUS_OK; before++) {
        assert_true(has_failed);
        assert_non_null(strstr(log, strerror(EIO)));
        free(log);
    }
    assert_false(has_failed);
    free(log);
    assert_true(before > 6); /* three folders, and a file in each */
}

static void a_disk_that_fails_while_a_folder_is_emptied(void **state)
{
    char path[256];
    (void)state;
    snprintf(path, sizeof path, "%s/gone/folder", folder_path);
    assert_int_equal(mkdir(path, 0700), 0);
    make("gone/folder/file");
    for (int before = 0; folder_count("gone") > 0; before++) {
        has_failed = false;
        answers = before;
        enum status status = files_empty(folder_files, 0);
        answers = -1;
        assert_true(status == STATUS_OK || has_failed);
        assert_true(folder_count("gone") == 0 || has_failed);
    }
}

static void how_much_is_free(void **state)
{
    (void)state;
    assert_true(disk_bytes(folder_files) > 0);
}

/* Side by side -------------------------------------------------------------------------------- */

/* As the sweep does, with what it saw before. */
static void delete_all(const struct files_entry *seen, atomic_int *turn)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_load(turn) < i)
            sched_yield();
        enum status status = files_delete(folder_files, FILES_ORIGINALS, &seen[i]);
        if (status != STATUS_OK && status != STATUS_CONFLICT)
            _exit(1);
    }
    _exit(0);
}

/* Whoever comes first, what is put while somebody deletes the old one is there. */
static void a_put_beats_a_delete(void **state)
{
    static struct files_entry seen[ROUNDS];
    atomic_int *turn =
        mmap(NULL, sizeof *turn, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0;
    (void)state;
    atomic_store(turn, -1);
    for (int i = 0; i < ROUNDS; i++) {
        folder_digest(i << 8, seen[i].digest);
        assert_int_equal(folder_put(FILES_ORIGINALS, seen[i].digest, "old"), STATUS_OK);
        folder_age(FILES_ORIGINALS, seen[i].digest);
        assert_int_equal(files_head(folder_files, FILES_ORIGINALS, seen[i].digest, &seen[i]),
                         STATUS_OK);
    }
    pid_t child = fork();
    if (child == 0)
        delete_all(seen, turn);
    for (int i = 0; i < ROUNDS; i++) {
        int descriptor = files_new(folder_files);
        atomic_store(turn, i);
        assert_int_equal(files_put(folder_files, FILES_ORIGINALS, descriptor, seen[i].digest),
                         STATUS_OK);
        close(descriptor);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    for (int i = 0; i < ROUNDS; i++)
        assert_int_equal(files_head(folder_files, FILES_ORIGINALS, seen[i].digest, &seen[i]),
                         STATUS_OK);
    munmap(turn, sizeof *turn);
}

/* Puts one after the other, and says so of each. */
static void put_until_killed(int said)
{
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    char bytes[32];
    for (int i = 0;; i++) {
        snprintf(bytes, sizeof bytes, "%d", i);
        folder_digest(i, digest);
        if (folder_put(FILES_PICTURES, digest, bytes) != STATUS_OK ||
            write(said, &i, sizeof i) != sizeof i)
            _exit(1);
    }
}

static void a_kill_loses_nothing_that_was_put(void **state)
{
    int said[2], last = -1, status;
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    (void)state;
    assert_int_equal(pipe(said), 0);
    pid_t child = fork();
    if (child == 0)
        put_until_killed(said[1]);
    close(said[1]);
    while (last < 40)
        assert_int_equal(read(said[0], &last, sizeof last), sizeof last);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    while (read(said[0], &last, sizeof last) == sizeof last)
        ;
    close(said[0]);
    for (int i = 0; i <= last; i++) {
        char bytes[32] = "", want[32];
        folder_digest(i, digest);
        snprintf(want, sizeof want, "%d", i);
        int descriptor = files_get(folder_files, FILES_PICTURES, digest);
        assert_true(descriptor >= 0);
        assert_int_equal(read(descriptor, bytes, sizeof bytes), strlen(want));
        assert_string_equal(bytes, want);
        close(descriptor);
    }
}

/* Where the disk will not --------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static void a_folder_that_cannot_be(void **state)
{
    static const struct {
        const char *path, *said;
    } rows[] = {{"/nonexistent/photos", "its folders: No such file or directory\n"},
                {"/dev/null", "its folders: Not a directory\n"},
                {"/proc/photos", "its folders: No such file or directory\n"}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        unit_log_begin();
        struct files *files = files_open(rows[i].path);
        char *log = unit_log_end();
        assert_null(files);
        if (strstr(log, "photo_directory /") == NULL || !ends_with(log, rows[i].said))
            fail_msg("%s: %s", rows[i].path, log);
        free(log);
    }
}

static void write_until_full(int descriptor)
{
    static const char block[4096];
    while (write(descriptor, block, sizeof block) > 0)
        ;
}

/* In a mount namespace of its own: 0 where all is as it should be, else the line. */
static int fill_a_disk(void)
{
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    folder_digest(1, digest);
    files_close(&folder_files);
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("small", folder_path, "tmpfs", 0, "size=256k,nr_inodes=10") != 0)
        return UNIT_SKIPPED;
    folder_files = files_open(folder_path);
    if (folder_files == NULL)
        return __LINE__ % 128;
    if (mount(NULL, folder_path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) != 0 ||
        files_new(folder_files) >= 0 ||
        mount(NULL, folder_path, NULL, MS_REMOUNT | MS_BIND, NULL) != 0)
        return __LINE__ % 128;
    int one = files_new(folder_files), two = files_new(folder_files);
    if (one < 0 || two < 0)
        return __LINE__ % 128;
    write_until_full(one);
    if (errno != ENOSPC || disk_bytes(folder_files) != 0)
        return __LINE__ % 128;
    close(two);
    /* One is left, for the folder. */
    if (files_put(folder_files, FILES_ORIGINALS, one, digest) != STATUS_OK)
        return __LINE__ % 128;
    while (files_new(folder_files) >= 0)
        ;
    folder_digest(2, digest);
    if (errno != ENOSPC || files_put(folder_files, FILES_PICTURES, one, digest) == STATUS_OK)
        return __LINE__ % 128;
    return 0;
}

static void a_full_disk(void **state)
{
    int status = 0;
    (void)state;
    unit_log_begin();
    pid_t child = fork();
    if (child == 0)
        _exit(fill_a_disk());
    waitpid(child, &status, 0);
    char *log = unit_log_end();
    bool is_said = strstr(log, "No space left on device") != NULL &&
                   strstr(log, "Read-only file system") != NULL;
    if (status != 0 || !is_said)
        print_error("%s", log);
    free(log);
    if (WEXITSTATUS(status) == UNIT_SKIPPED)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(is_said);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_begin, folder_end)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        IN_A_FOLDER(what_is_put_is_there),
        IN_A_FOLDER(modes_whatever_the_umask),
        IN_A_FOLDER(equal_bytes_are_there_once),
        IN_A_FOLDER(what_was_put_anew_stays),
        IN_A_FOLDER(what_was_put_anew_at_once_stays),
        IN_A_FOLDER(all_are_listed_in_order),
        IN_A_FOLDER(strangers_are_named_and_left_out),
        IN_A_FOLDER(what_is_gone_goes_after_a_while),
        IN_A_FOLDER(a_disk_that_fails_while_a_list_is_read),
        IN_A_FOLDER(a_disk_that_fails_while_a_folder_is_emptied),
        IN_A_FOLDER(how_much_is_free),
        IN_A_FOLDER(a_put_beats_a_delete),
        IN_A_FOLDER(a_kill_loses_nothing_that_was_put),
        IN_A_FOLDER(a_full_disk),
        cmocka_unit_test(a_folder_that_cannot_be),
    };
    return RUN_TESTS(tests);
}
