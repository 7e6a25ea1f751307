#include "auth/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static char folder[] = "/tmp/mapdiary-key-XXXXXX";
static char path[64];

static int make(void **state)
{
    (void)state;
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    bool made = mkdtemp(folder) != NULL;
    snprintf(path, sizeof path, "%s/master.key", folder);
    return made ? 0 : -1;
}

static int drop(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void write_file(const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

/* The reason goes to the log, without what is in the file. */
static enum status read_in_silence(struct master_key *master, const char *secret)
{
    unit_log_begin();
    enum status status = master_key_read(path, master);
    char *log = unit_log_end();
    bool told = strstr(log, secret) != NULL, named = strstr(log, path) != NULL;
    free(log);
    assert_false(told);
    assert_int_equal(named, status == STATUS_INTERNAL);
    return status;
}

#define DIGITS "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

static void files(void **state)
{
    static const struct {
        const char *text;
        mode_t mode;
        enum status want;
    } rows[] = {
        {DIGITS "\n", 0600, STATUS_OK},         {DIGITS, 0400, STATUS_OK},
        {DIGITS "\n", 0640, STATUS_INTERNAL},   {DIGITS "\n", 0604, STATUS_INTERNAL},
        {DIGITS "\n", 0620, STATUS_INTERNAL},   {DIGITS "\n", 0602, STATUS_INTERNAL},
        {DIGITS "\n", 0601, STATUS_INTERNAL},   {"", 0600, STATUS_INTERNAL},
        {DIGITS "\n\n", 0600, STATUS_INTERNAL}, {DIGITS "00", 0600, STATUS_INTERNAL},
        {"0g" DIGITS, 0600, STATUS_INTERNAL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct master_key master;
        write_file(rows[i].text, rows[i].mode);
        expect_integer(rows[i].text, read_in_silence(&master, "000102"), rows[i].want);
        assert_int_equal(master.is_read, rows[i].want == STATUS_OK);
        for (int k = 0; master.is_read && k < MASTER_KEY_SIZE; k++)
            assert_int_equal(master.bytes[k], k);
        unlink(path);
    }
}

static void no_file_is_no_key(void **state)
{
    struct master_key master;
    (void)state;
    assert_int_equal(master_key_read(path, &master), STATUS_KEY_UNKNOWN);
    assert_false(master.is_read);
}

static void a_folder_is_no_key(void **state)
{
    struct master_key master;
    (void)state;
    assert_int_equal(mkdir(path, 0700), 0);
    enum status status = read_in_silence(&master, "000102");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(status, STATUS_INTERNAL);
}

static void made_once(void **state)
{
    struct master_key first, again;
    struct stat file;
    (void)state;
    mode_t mask = umask(0);
    enum status status = master_key_create(path);
    umask(mask);
    assert_int_equal(status, STATUS_OK);
    assert_int_equal(stat(path, &file), 0);
    assert_int_equal(file.st_mode & 07777, 0600);
    assert_int_equal(master_key_read(path, &first), STATUS_OK);
    assert_int_equal(master_key_create(path), STATUS_CONFLICT);
    assert_int_equal(master_key_read(path, &again), STATUS_OK);
    assert_memory_equal(first.bytes, again.bytes, MASTER_KEY_SIZE);
    unlink(path);
    assert_int_equal(master_key_create(path), STATUS_OK);
    assert_int_equal(master_key_read(path, &again), STATUS_OK);
    assert_memory_not_equal(first.bytes, again.bytes, MASTER_KEY_SIZE);
}

/* openssl dgst -sha256 -mac HMAC -macopt hexkey:000102... of "application key 001122..." */
static void secrets(void **state)
{
    struct master_key master = {.is_read = true};
    unsigned char id[KEY_ID_SIZE];
    (void)state;
    for (int i = 0; i < MASTER_KEY_SIZE; i++)
        master.bytes[i] = (unsigned char)i;
    for (int i = 0; i < KEY_ID_SIZE; i++)
        id[i] = (unsigned char)(0x11 * i);
    assert_string_equal(key_secret_of(&master, id).digits,
                        "19e2ca86d1c35ef086df8cb922d19e5fd9691a9f224c406de11cd5304dbc57c9");
    id[0] = 1;
    assert_string_not_equal(key_secret_of(&master, id).digits,
                            "19e2ca86d1c35ef086df8cb922d19e5fd9691a9f224c406de11cd5304dbc57c9");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files, make, drop),
        cmocka_unit_test_setup_teardown(no_file_is_no_key, make, drop),
        cmocka_unit_test_setup_teardown(a_folder_is_no_key, make, drop),
        cmocka_unit_test_setup_teardown(made_once, make, drop),
        cmocka_unit_test(secrets),
    };
    if (crypto_open() != STATUS_OK)
        return 1;
    return RUN_TESTS(tests);
}
