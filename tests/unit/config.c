#include "base/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "unit.h"

static char path[] = "/tmp/mapdiary-config-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    strcpy(path + sizeof path - 7, "XXXXXX");
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void put(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    int closed = fclose(file);
    assert_int_equal(closed, 0);
}

/* Reads the text as a file that is right. */
static struct config read_right(const char *text)
{
    struct config config;
    put(text);
    unit_log_begin();
    enum status status = config_read(&config, path);
    char *log = unit_log_end();
    expect_text(text, log, "");
    expect_integer(text, status, STATUS_OK);
    free(log);
    return config;
}

static void defaults(void **state)
{
    struct config config = read_right("");
    (void)state;
    assert_string_equal(config.listen, "unix:/run/mapdiary/mapdiary.sock");
    assert_int_equal(config.listen_mode, 0660);
    assert_string_equal(config.listen_group, "");
    assert_int_equal(config.workers, 8);
    assert_string_equal(config.timezone, "UTC");
    assert_int_equal(config.session_lifetime, 30 * 86400000LL);
    assert_int_equal(config.reward_per_blog, 10);
    assert_int_equal(config.reward_daily_limit, 5);
    assert_int_equal(config.cache_max_age, 1000);
    assert_int_equal(config.log_level, LOG_LEVEL_INFO);
    config_free(&config);
    assert_null(config.listen);
}

#define AT(field) offsetof(struct config, field)

static void numbers_and_their_units(void **state)
{
    static const struct {
        const char *text;
        size_t offset;
        int64_t want;
    } rows[] = {
        {"workers = 3", AT(workers), 3},
        {"workers=3", AT(workers), 3},
        {"  workers   =   3  \n", AT(workers), 3},
        {"workers = 3\r\n", AT(workers), 3},
        {"# a comment\n\n; another\nworkers = 3\n", AT(workers), 3},
        {"listen_mode = 600", AT(listen_mode), 0600},
        {"listen_mode = 0777", AT(listen_mode), 0777},
        {"io_timeout = 100ms", AT(io_timeout), 100},
        {"io_timeout = 100 ms", AT(io_timeout), 100},
        {"io_timeout = 1s", AT(io_timeout), 1000},
        {"io_timeout = 2m", AT(io_timeout), 120000},
        {"io_timeout = 1h", AT(io_timeout), 3600000},
        {"session_lifetime = 3650d", AT(session_lifetime), 3650 * 86400000LL},
        {"drain_timeout = 0s", AT(drain_timeout), 0},
        {"spool_size = 1048576B", AT(spool_size), 1048576},
        {"spool_size = 2048KiB", AT(spool_size), 2097152},
        {"spool_size = 512 MiB", AT(spool_size), 536870912},
        {"spool_size = 2GiB", AT(spool_size), 2147483648LL},
        {"spool_size = 1TiB", AT(spool_size), 1099511627776LL},
        {"log_level = error", AT(log_level), LOG_LEVEL_ERROR},
        {"log_level = warning", AT(log_level), LOG_LEVEL_WARNING},
        {"log_level = notice", AT(log_level), LOG_LEVEL_NOTICE},
        {"log_level = debug", AT(log_level), LOG_LEVEL_DEBUG},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct config config = read_right(rows[i].text);
        int64_t got;
        memcpy(&got, (const char *)&config + rows[i].offset, sizeof got);
        expect_integer(rows[i].text, got, rows[i].want);
        config_free(&config);
    }
}

static void texts(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"database = dbname=a host=/tmp", "dbname=a host=/tmp"},
        {"database = password='a b' ; user=x # y", "password='a b' ; user=x # y"},
        {"database = \"quoted\"", "\"quoted\""},
        {"database =   blanks   inside   ", "blanks   inside"},
        {"database = postgresql://h:5432/地圖", "postgresql://h:5432/地圖"},
        {"database = #not a comment", "#not a comment"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct config config = read_right(rows[i].text);
        expect_text(rows[i].text, config.database, rows[i].want);
        config_free(&config);
    }
}

/* Reads the text as a file that is wrong, and answers the log with the path left out. */
static char *complaint(const char *text)
{
    struct config config;
    put(text);
    unit_log_begin();
    enum status status = config_read(&config, path);
    char *log = unit_log_end();
    expect_integer(text, status, STATUS_INTERNAL);
    assert_null(config.listen);
    char *at = log;
    while ((at = strstr(at, path)) != NULL)
        memmove(at, at + strlen(path), strlen(at + strlen(path)) + 1);
    return log;
}

#define BAD_VALUE(line, key, value, type) "<3>:" line ": " key ": '" value "' is not " type "\n"
#define BAD_WORKERS(line, value) BAD_VALUE(line, "workers", value, "an integer from 1 to 1000")
#define BAD_MODE(value) BAD_VALUE("1", "listen_mode", value, "an octal number from 0000 to 0777")
#define BAD_TIMEOUT(value) \
    BAD_VALUE("1", "io_timeout", value, "a duration (ms, s, m, h, d) from 100ms to 1h")
#define BAD_LIFETIME(value) \
    BAD_VALUE("1", "session_lifetime", value, "a duration (ms, s, m, h, d) from 1s to 3650d")
#define BAD_SIZE(value) \
    BAD_VALUE("1", "spool_size", value, "a size (B, KiB, MiB, GiB, TiB) from 1MiB to 1024TiB")
#define BAD_LEVEL(value) \
    BAD_VALUE("1", "log_level", value, "one of error, warning, notice, info, debug")

static void what_is_refused(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"worker = 3", "<3>:1: worker: no such key\n"},
        {"\n# a comment\n\nWorkers = 3\n", "<3>:4: Workers: no such key\n"},
        {"workers = 3\nworkers = 3\n", "<3>:2: workers: the key stands twice\n"},
        {"[pool]\nworkers = 3\n", "<3>:2: pool: sections are not known here\n"},
        {"workers = 3\nlisten\n", "<3>:2: listen: not of the form \"key = value\"\n"},
        {"[pool\n", "<3>:1: a bracket is not closed\n"},
        {"workers =", BAD_WORKERS("1", "")},
        {"workers = 0", BAD_WORKERS("1", "0")},
        {"workers = 1001", BAD_WORKERS("1", "1001")},
        {"workers = -1", BAD_WORKERS("1", "-1")},
        {"workers = +1", BAD_WORKERS("1", "+1")},
        {"workers = 1.5", BAD_WORKERS("1", "1.5")},
        {"workers = 0x10", BAD_WORKERS("1", "0x10")},
        {"workers = 8 # many", BAD_WORKERS("1", "8 # many")},
        {"workers = 99999999999999999999", BAD_WORKERS("1", "99999999999999999999")},
        {"listen =", "<3>:1: listen: not unix:PATH, or ADDRESS:PORT\n"},
        {"listen_mode = 0888", BAD_MODE("0888")},
        {"listen_mode = 1000", BAD_MODE("1000")},
        {"listen_mode = -1", BAD_MODE("-1")},
        {"listen_mode =", BAD_MODE("")},
        {"listen_mode = 0000000000000000000000000000660",
         BAD_MODE("0000000000000000000000000000660")},
        {"io_timeout = 10", BAD_TIMEOUT("10")},
        {"io_timeout = s", BAD_TIMEOUT("s")},
        {"io_timeout = -1s", BAD_TIMEOUT("-1s")},
        {"io_timeout = 1.5s", BAD_TIMEOUT("1.5s")},
        {"io_timeout = 10sec", BAD_TIMEOUT("10sec")},
        {"spool_size = 2GB", BAD_SIZE("2GB")},
        {"spool_size = 2147483648", BAD_SIZE("2147483648")},
        {"spool_size = 1023KiB", BAD_SIZE("1023KiB")},
        {"spool_size = 9223372036854775807TiB", BAD_SIZE("9223372036854775807TiB")},
        {"spool_directory =", "<3>:1: spool_directory: not a path\n"},
        {"io_timeout = 10 S", BAD_TIMEOUT("10 S")},
        {"io_timeout = 1m30s", BAD_TIMEOUT("1m30s")},
        {"io_timeout = 99ms", BAD_TIMEOUT("99ms")},
        {"io_timeout = 61m", BAD_TIMEOUT("61m")},
        {"session_lifetime = 99999999999999d", BAD_LIFETIME("99999999999999d")},
        {"session_lifetime = 999999999999999999999999999999d",
         BAD_LIFETIME("999999999999999999999999999999d")},
        {"log_level = INFO", BAD_LEVEL("INFO")},
        {"log_level = 6", BAD_LEVEL("6")},
        /* What may be a secret is not told. */
        {"database =", "<3>:1: database: not one line of at least 1 characters\n"},
        {"database = password=\xff", "<3>:1: database: not one line of at least 1 characters\n"},
        {"timezone = a\x01", "<3>:1: timezone: not one line of at least 1 characters\n"},
        {"trace_database = yes", "<3>:1: trace_database: 'yes' is not one of off, on\n"},
        /* All of them at once. */
        {"workers = 0\nx = 1\nio_timeout\nlog_level = info\nlog_level = info\n",
         BAD_WORKERS("1", "0") "<3>:2: x: no such key\n"
                               "<3>:3: io_timeout: not of the form \"key = value\"\n"
                               "<3>:5: log_level: the key stands twice\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *got = complaint(rows[i].text);
        expect_text(rows[i].text, got, rows[i].want);
        free(got);
    }
}

/* A line longer than any buffer on the way is one line all the same. */
static void lines_are_counted_however_long(void **state)
{
    char text[5000];
    (void)state;
    memset(text, 'x', sizeof text);
    memcpy(text, "database = ", 11);
    strcpy(text + 4000, "\nworkers = 0\n");
    char *got = complaint(text);
    expect_text("a long line", got, BAD_WORKERS("2", "0"));
    free(got);

    text[4000] = '\0';
    struct config config = read_right(text);
    assert_int_equal(strlen(config.database), 4000 - 11);
    config_free(&config);
}

static void a_file_that_is_not_there(void **state)
{
    struct config config;
    (void)state;
    unit_log_begin();
    enum status status = config_read(&config, "/nonexistent/mapdiary.conf");
    char *log = unit_log_end();
    assert_int_equal(status, STATUS_INTERNAL);
    assert_string_equal(log, "<3>/nonexistent/mapdiary.conf: No such file or directory\n");
    free(log);
}

static void a_folder_is_no_file(void **state)
{
    struct config config;
    (void)state;
    unit_log_begin();
    enum status status = config_read(&config, "/tmp");
    char *log = unit_log_end();
    assert_int_equal(status, STATUS_INTERNAL);
    assert_string_equal(log, "<3>/tmp: Is a directory\n");
    free(log);
}

static char *printed(const struct config *config)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    config_print(config, out);
    int closed = fclose(out);
    assert_int_equal(closed, 0);
    return text;
}

/* What "mapdiaryd -T" prints, read and printed again. */
static void the_output_reads_back(void **state)
{
    static const char *const rows[] = {
        "",
        "listen = 127.0.0.1:9000\nlisten_mode = 0600\nlisten_group = www-data\nworkers = 1000\n",
        "io_timeout = 1500ms\nrequest_timeout = 90s\ndrain_timeout = 0s\nsession_lifetime = 36h\n",
        "io_timeout = 60000ms\nsession_lifetime = 86400s\ncache_max_age = 1ms\n",
        "database = password='a b' ; user=x # y\nallowed_origins = https://a.example https://b\n",
        "log_level = debug\nreward_per_blog = 0\nlisten_mode = 0\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct config config = read_right(rows[i]);
        char *text = printed(&config);
        struct config again = read_right(text);
        char *text_again = printed(&again);
        expect_text(rows[i], text_again, text);
        /* And it is the same beyond what is printed. */
        expect_text(rows[i], again.database, config.database);
        expect_integer(rows[i], again.session_lifetime, config.session_lifetime);
        expect_integer(rows[i], again.io_timeout, config.io_timeout);
        expect_integer(rows[i], again.listen_mode, config.listen_mode);
        config_free(&config);
        config_free(&again);
        free(text);
        free(text_again);
    }
}

static char *file_text(const char *name)
{
    char *text = NULL;
    size_t room = 0;
    FILE *file = fopen(name, "r");
    if (file == NULL)
        fail_msg("%s", name);
    assert_true(getdelim(&text, &room, '\0', file) > 0);
    fclose(file);
    return text;
}

/* Every key stands in the shipped file with its default, commented out. Paths are the
 * installation's. */
static void the_shipped_file_has_every_key(void **state)
{
    char name[4096];
    const char *top = getenv("srcdir");
    struct config config = read_right("");
    char *text = printed(&config);
    snprintf(name, sizeof name, "%s/conf/mapdiary.conf", top != NULL ? top : ".");
    char *shipped = file_text(name);
    size_t keys = 0;
    (void)state;
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char want[512];
        bool is_path = strncmp(line, "schema_directory", 16) == 0 ||
                       strncmp(line, "master_key_file", 15) == 0 ||
                       strncmp(line, "spool_directory", 15) == 0 ||
                       strncmp(line, "photo_directory", 15) == 0 ||
                       strncmp(line, "mail_directory", 14) == 0;
        if (*line == '#')
            continue;
        snprintf(want, sizeof want, "\n#%.*s%s", is_path ? (int)strcspn(line, "=") : 400, line,
                 is_path ? "" : "\n");
        /* Editors take the blank after an empty value away. */
        size_t length = strlen(want);
        if (strcmp(want + length - 3, "= \n") == 0)
            strcpy(want + length - 2, "\n");
        if (strstr(shipped, want) == NULL)
            fail_msg("conf/mapdiary.conf has no line %s", want + 1);
        keys++;
    }
    size_t lines = 0;
    for (const char *at = shipped; (at = strstr(at, " =")) != NULL; at++)
        lines += at[2] == ' ' || at[2] == '\n';
    assert_true(keys > 20);
    /* The heading has one too: key = value. */
    assert_int_equal(lines, keys + 1);
    free(text);
    free(shipped);
    config_free(&config);
}

static void which_file(void **state)
{
    (void)state;
    unsetenv("MAPDIARY_CONF");
    assert_string_equal(config_path(NULL), MAPDIARY_CONFIG_FILE);
    setenv("MAPDIARY_CONF", "", 1);
    assert_string_equal(config_path(NULL), MAPDIARY_CONFIG_FILE);
    setenv("MAPDIARY_CONF", "/from/environment", 1);
    assert_string_equal(config_path(NULL), "/from/environment");
    assert_string_equal(config_path("/from/argument"), "/from/argument");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(defaults, make_file, remove_file),
        cmocka_unit_test_setup_teardown(numbers_and_their_units, make_file, remove_file),
        cmocka_unit_test_setup_teardown(texts, make_file, remove_file),
        cmocka_unit_test_setup_teardown(what_is_refused, make_file, remove_file),
        cmocka_unit_test_setup_teardown(lines_are_counted_however_long, make_file, remove_file),
        cmocka_unit_test(a_file_that_is_not_there),
        cmocka_unit_test(a_folder_is_no_file),
        cmocka_unit_test_setup_teardown(the_output_reads_back, make_file, remove_file),
        cmocka_unit_test_setup_teardown(the_shipped_file_has_every_key, make_file, remove_file),
        cmocka_unit_test(which_file),
    };
    setenv("JOURNAL_STREAM", "8:1", 1); /* lines of the log without the time */
    return RUN_TESTS(tests);
}
