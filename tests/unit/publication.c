#include "media/publication.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "unit.h"

#define NAME "0123456789abcdef0123456789abcdef"
#define OTHER "fedcba9876543210fedcba9876543210"

/* Addresses ----------------------------------------------------------------------------------- */

static void addresses(void **state)
{
    static const struct {
        struct publication publication;
        const char *path;
    } rows[] = {
        {{PUBLICATION_ALBUM, 12, NAME, PUBLICATION_LARGE, PICTURE_JPEG},
         "/photos/a12/" NAME "/large.jpg"},
        {{PUBLICATION_ALBUM, 12, NAME, PUBLICATION_SMALL, PICTURE_WEBP},
         "/photos/a12/" NAME "/small.webp"},
        {{PUBLICATION_POI, 1, NAME, PUBLICATION_LARGE, PICTURE_WEBP},
         "/photos/p1/" NAME "/large.webp"},
        {{PUBLICATION_POI, INT64_MAX, NAME, PUBLICATION_SMALL, PICTURE_JPEG},
         "/photos/p9223372036854775807/" NAME "/small.jpg"},
        {{PUBLICATION_USER, 30, NAME, PUBLICATION_ICON, PICTURE_JPEG},
         "/photos/u30/" NAME "/icon.jpg"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct publication *want = &rows[i].publication;
        for (size_t skipped = 0; skipped <= strlen("/photos"); skipped += strlen("/photos")) {
            struct publication read;
            char path[PUBLICATION_ADDRESS_SIZE];
            assert_true(publication_parse(rows[i].path + skipped, &read));
            expect_integer(rows[i].path, read.owner, want->owner);
            expect_integer(rows[i].path, read.id, want->id);
            expect_integer(rows[i].path, read.part, want->part);
            expect_integer(rows[i].path, read.format, want->format);
            assert_memory_equal(read.name, NAME, PUBLICATION_NAME_DIGITS);
            publication_address(&read, path);
            expect_text(rows[i].path, path, rows[i].path);
        }
    }
}

static void what_is_no_address(void **state)
{
    static const char *const paths[] = {
        "",
        "/",
        "/photos",
        "/photos/",
        "photos/a12/" NAME "/large.jpg",
        "a12/" NAME "/large.jpg",
        "/photos/photos/a12/" NAME "/large.jpg",
        "/photos/b12/" NAME "/large.jpg",
        "/photos/12/" NAME "/large.jpg",
        "/photos/a/" NAME "/large.jpg",
        "/photos/a0/" NAME "/large.jpg",
        "/photos/a012/" NAME "/large.jpg",
        "/photos/a-12/" NAME "/large.jpg",
        "/photos/a+12/" NAME "/large.jpg",
        "/photos/a9223372036854775808/" NAME "/large.jpg",
        "/photos/a99999999999999999999999999/" NAME "/large.jpg",
        "/photos/a12/" NAME "0/large.jpg",
        "/photos/a12/0123456789abcdef0123456789abcde/large.jpg",
        "/photos/a12/0123456789ABCDEF0123456789ABCDEF/large.jpg",
        "/photos/a12//large.jpg",
        "/photos/a12/../large.jpg",
        "/photos/a12/" NAME,
        "/photos/a12/" NAME "/",
        "/photos/a12/" NAME "/large",
        "/photos/a12/" NAME "/large.png",
        "/photos/a12/" NAME "/large.jpg/",
        "/photos/a12/" NAME "/large.jpg.webp",
        "/photos/a12/" NAME "/LARGE.jpg",
        "/photos/a12/" NAME "/icon.jpg",
        "/photos/u12/" NAME "/large.jpg",
        "/photos/a12/" NAME "/large.jpg ",
        "//photos/a12/" NAME "/large.jpg",
    };
    struct publication publication;
    (void)state;
    for (size_t i = 0; i < COUNT(paths); i++)
        expect_integer(paths[i], publication_parse(paths[i], &publication), false);
}

/* Links --------------------------------------------------------------------------------------- */

static struct publication large_of(int64_t album, const char *name)
{
    return (struct publication){PUBLICATION_ALBUM, album, name, PUBLICATION_LARGE, PICTURE_JPEG};
}

static void put_picture(int number, unsigned char digest[static CRYPTO_DIGEST_SIZE])
{
    folder_digest(number, digest);
    assert_int_equal(folder_put(FILES_PICTURES, digest, "picture"), STATUS_OK);
}

static bool is_public(const struct publication *publication, struct stat *found)
{
    char path[PUBLICATION_ADDRESS_SIZE];
    publication_address(publication, path);
    return folder_stat(found, "public%s", path);
}

static bool is_that_picture(const struct publication *publication, const unsigned char *digest)
{
    struct stat one, other;
    char path[FILES_PATH_SIZE];
    files_path(digest, path);
    return is_public(publication, &one) && folder_stat(&other, "%s", path) &&
           one.st_ino == other.st_ino;
}

static void a_link_is_the_picture(void **state)
{
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    struct publication publication = large_of(12, NAME);
    struct stat found;
    (void)state;
    put_picture(1, digest);
    mode_t mask = umask(0077);
    assert_int_equal(publication_link(folder_files, &publication, digest), STATUS_OK);
    umask(mask);
    assert_int_equal(publication_link(folder_files, &publication, digest), STATUS_OK);
    assert_true(is_that_picture(&publication, digest));
    for (size_t i = 0; i < 3; i++) {
        static const char *const folders[] = {"public/photos", "public/photos/a12",
                                              ("public/photos/a12/" NAME)};
        assert_true(folder_stat(&found, "%s", folders[i]));
        expect_integer(folders[i], found.st_mode, S_IFDIR | 0711);
    }
}

static void another_picture_takes_its_place(void **state)
{
    unsigned char digest[CRYPTO_DIGEST_SIZE], other[CRYPTO_DIGEST_SIZE];
    struct publication publication = large_of(12, NAME);
    (void)state;
    put_picture(1, digest);
    put_picture(2, other);
    assert_int_equal(publication_link(folder_files, &publication, digest), STATUS_OK);
    assert_int_equal(publication_link(folder_files, &publication, other), STATUS_OK);
    assert_true(is_that_picture(&publication, other));
    assert_int_equal(folder_count("gone"), 0);
}

static void no_link_without_a_picture(void **state)
{
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    struct publication publication = large_of(12, NAME);
    struct stat found;
    (void)state;
    folder_digest(1, digest);
    unit_log_begin();
    enum status status = publication_link(folder_files, &publication, digest);
    char *log = unit_log_end();
    assert_int_equal(status, STATUS_UNAVAILABLE);
    assert_non_null(strstr(log, "pictures/01/"));
    free(log);
    assert_false(is_public(&publication, &found));
}

static void a_photo_or_a_piece_is_withdrawn(void **state)
{
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    struct publication photos[] = {large_of(12, NAME), large_of(12, OTHER), large_of(120, NAME)};
    struct stat found;
    (void)state;
    put_picture(1, digest);
    for (int i = 0; i < 3; i++)
        assert_int_equal(publication_link(folder_files, &photos[i], digest), STATUS_OK);
    assert_int_equal(publication_withdraw(folder_files, PUBLICATION_ALBUM, 12, NAME), STATUS_OK);
    assert_false(is_public(&photos[0], &found));
    assert_true(is_that_picture(&photos[1], digest));
    assert_int_equal(publication_withdraw(folder_files, PUBLICATION_ALBUM, 12, NULL), STATUS_OK);
    assert_false(is_public(&photos[1], &found));
    assert_true(is_that_picture(&photos[2], digest));
    /* What is not there has been withdrawn. */
    assert_int_equal(publication_withdraw(folder_files, PUBLICATION_ALBUM, 12, NULL), STATUS_OK);
    assert_int_equal(publication_withdraw(folder_files, PUBLICATION_USER, 9, NAME), STATUS_OK);
    assert_true(is_that_picture(&photos[2], digest));
    assert_int_equal(folder_count("gone"), 0);
    assert_int_equal(folder_count("public/photos"), 1);
}

static void nothing_is_there_to_withdraw(void **state)
{
    (void)state;
    assert_int_equal(publication_withdraw(folder_files, PUBLICATION_POI, 12, NULL), STATUS_OK);
    assert_int_equal(publication_withdraw(folder_files, PUBLICATION_POI, 12, NAME), STATUS_OK);
}

/* List ---------------------------------------------------------------------------------------- */

static enum status add(void *context, enum publication_owner owner, int64_t id, const char *name)
{
    char *text = context;
    snprintf(text + strlen(text), 100, "%d %lld %.2s, ", (int)owner, (long long)id, name);
    return strlen(text) > 30 ? STATUS_VOTE_CLOSED : STATUS_OK;
}

static void all_are_listed(void **state)
{
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    const struct publication photos[] = {
        large_of(12, OTHER),
        large_of(12, NAME),
        {PUBLICATION_POI, 3, NAME, PUBLICATION_SMALL, PICTURE_WEBP},
        {PUBLICATION_USER, 3, NAME, PUBLICATION_ICON, PICTURE_JPEG}};
    char listed[200] = "";
    (void)state;
    assert_int_equal(publication_list(folder_files, add, listed), STATUS_OK);
    assert_string_equal(listed, "");
    put_picture(1, digest);
    for (size_t i = 0; i < COUNT(photos); i++)
        assert_int_equal(publication_link(folder_files, &photos[i], digest), STATUS_OK);
    assert_int_equal(publication_list(folder_files, add, listed), STATUS_VOTE_CLOSED);
    assert_string_equal(listed, "0 12 01, 0 12 fe, 1 3 01, 2 3 01, ");
}

static void make_folder(const char *path)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", folder_path, path);
    assert_int_equal(mkdir(whole, 0700), 0);
}

static void strangers_are_named_and_left_out(void **state)
{
    static const char *const folders[] = {"public/photos/a012", "public/photos/a12",
                                          "public/photos/a12/short", "public/photos/a12/" NAME "0"};
    char listed[200] = "";
    (void)state;
    make_folder("public/photos");
    for (size_t i = 0; i < COUNT(folders); i++)
        make_folder(folders[i]);
    unit_log_begin();
    enum status status = publication_list(folder_files, add, listed);
    char *log = unit_log_end();
    assert_int_equal(status, STATUS_OK);
    assert_string_equal(listed, "");
    for (size_t i = 0; i < COUNT(folders); i++) {
        char line[128];
        snprintf(line, sizeof line, "%s is no photo", folders[i]);
        if ((strstr(log, line) != NULL) != (i != 1))
            fail_msg("%s: %s", folders[i], log);
    }
    free(log);
}

static void make_file(const char *path)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", folder_path, path);
    assert_int_equal(close(open(whole, O_CREAT | O_WRONLY | O_CLOEXEC, 0600)), 0);
}

static void take_away(const char *path)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", folder_path, path);
    assert_int_equal(remove(whole), 0);
}

/* Of one piece, somebody has put there; but where nothing can be listed, nobody is told that there
 * is nothing. */
static void files_in_the_place_of_folders(void **state)
{
    char listed[200] = "";
    (void)state;
    make_folder("public/photos");
    make_file("public/photos/a12");
    unit_log_begin();
    assert_int_equal(publication_list(folder_files, add, listed), STATUS_OK);
    char *log = unit_log_end();
    assert_non_null(strstr(log, "public/photos/a12 is no photo"));
    free(log);
    take_away("public/photos/a12");
    take_away("public/photos");
    make_file("public/photos");
    unit_log_begin();
    assert_int_equal(publication_list(folder_files, add, listed), STATUS_UNAVAILABLE);
    free(unit_log_end());
    assert_string_equal(listed, "");
}

/* Side by side -------------------------------------------------------------------------------- */

static void link_for_ever(const unsigned char *digest)
{
    struct publication photos[] = {large_of(12, NAME), large_of(12, OTHER)};
    for (int i = 0;; i++)
        if (publication_link(folder_files, &photos[i % 2], digest) != STATUS_OK)
            _exit(1);
}

/* A link finds its folders gone at any moment, and makes them anew. */
static void links_and_withdrawals(void **state)
{
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    struct publication photo = large_of(12, NAME);
    struct stat found;
    pid_t children[2];
    int status;
    (void)state;
    put_picture(1, digest);
    for (int i = 0; i < 2; i++)
        if ((children[i] = fork()) == 0)
            link_for_ever(digest);
    for (int i = 0; i < 300; i++) {
        while (i % 10 == 0 && !is_public(&photo, &found))
            assert_int_equal(waitpid(-1, &status, WNOHANG), 0); /* both link still */
        assert_int_equal(
            publication_withdraw(folder_files, PUBLICATION_ALBUM, 12, i % 3 == 0 ? NAME : NULL),
            STATUS_OK);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(waitpid(children[i], &status, WNOHANG), 0); /* none has failed */
        kill(children[i], SIGKILL);
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
    }
    assert_int_equal(publication_withdraw(folder_files, PUBLICATION_ALBUM, 12, NULL), STATUS_OK);
    assert_false(is_public(&photo, &found));
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_begin, folder_end)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses),
        cmocka_unit_test(what_is_no_address),
        IN_A_FOLDER(a_link_is_the_picture),
        IN_A_FOLDER(another_picture_takes_its_place),
        IN_A_FOLDER(no_link_without_a_picture),
        IN_A_FOLDER(a_photo_or_a_piece_is_withdrawn),
        IN_A_FOLDER(nothing_is_there_to_withdraw),
        IN_A_FOLDER(all_are_listed),
        IN_A_FOLDER(strangers_are_named_and_left_out),
        IN_A_FOLDER(files_in_the_place_of_folders),
        IN_A_FOLDER(links_and_withdrawals),
    };
    return RUN_TESTS(tests);
}
