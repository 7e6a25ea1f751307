#include <stdio.h>
#include <string.h>

#include "auth/key.h"
#include "base/log.h"
#include "ctl/groups.h"
#include "store/application.h"

static int init(struct invocation *run)
{
    const char *path = run->config.master_key_file;
    enum status status = master_key_create(path);
    if (status == STATUS_OK)
        printf("%s\n", path);
    return command_end(status, "%s", path);
}

/* Add ---------------------------------------------------------------------------------------- */

enum { NAME };

static const struct parameter add_parameters[] = {
    [NAME] = {.name = "NAME",
              .type = {VALUE_LINE, LINE_RANGE},
              OPERAND,
              .meaning = "of the application, for key list"},
    PARAMETERS_END,
};

static void print_key(const struct master_key *master, const unsigned char id[KEY_ID_SIZE])
{
    char digits[KEY_ID_DIGITS + 1];
    struct key_secret secret = key_secret_of(master, id);
    crypto_to_hex(id, KEY_ID_SIZE, digits);
    printf("key=%s\nsecret=%s\n", digits, secret.digits);
    explicit_bzero(&secret, sizeof secret);
}

static int add(struct invocation *run)
{
    unsigned char id[KEY_ID_SIZE];
    struct master_key master;
    const char *name = run->values[NAME].text, *path = run->config.master_key_file;
    enum status status = master_key_read(path, &master);
    if (status == STATUS_KEY_UNKNOWN) {
        log_error("%s: not there; mapdiaryctl key init makes it", path);
        return EXIT_ABSENT;
    }
    if (status != STATUS_OK)
        return EXIT_CONFIGURATION;
    crypto_random(id, sizeof id);
    status = application_insert(run->batch, id, name);
    if (status == STATUS_OK)
        print_key(&master, id);
    explicit_bzero(&master, sizeof master);
    return command_end(status, "%s", name);
}

/* List and revoke ---------------------------------------------------------------------------- */

static const char *const listed[] = {"key", "name", "created", "revoked", NULL};

static int list(struct invocation *run)
{
    struct output_rows rows = {run->out, listed};
    enum status status = application_list(run->batch, output_row, &rows);
    return command_end(status, "keys");
}

enum { KEY };

static const struct parameter revoke_parameters[] = {
    [KEY] = {.name = "KEY",
             .type = {VALUE_LINE, LINE_RANGE},
             OPERAND,
             .meaning = "the key, as key list shows it"},
    PARAMETERS_END,
};

static int revoke(struct invocation *run)
{
    unsigned char id[KEY_ID_SIZE];
    const char *key = run->values[KEY].text;
    if (!crypto_from_hex(key, id, sizeof id)) {
        log_error("KEY: '%s' is not %d hexadecimal digits", key, KEY_ID_DIGITS);
        return EXIT_USAGE;
    }
    return command_end(application_revoke(run->batch, id), "key %s", key);
}

static const struct parameter no_parameters[] = {PARAMETERS_END};

const struct command key_commands[] = {
    {.name = "init",
     .summary = "make the master key file, from which the secrets of all keys derive",
     .details = "The configuration has the path, as master_key_file. Only the service's user "
                "may read the file: if root runs the command, the owner of spool_directory makes "
                "the file. Keep a copy in a safe place: without the file, no key's secret is good "
                "any more. Several machines share one file.",
     .parameters = no_parameters,
     .run = init},
    {.name = "add",
     .summary = "make a key for an application, and print the key and the secret, this once",
     .details = "The secret is the printed text itself: decode no digits.",
     .parameters = add_parameters,
     .run = add},
    {.name = "list",
     .summary = "list the keys, without their secrets",
     .parameters = no_parameters,
     .shows = SHOWS_LIST,
     .run = list},
    {.name = "revoke",
     .summary = "refuse all further requests of a key, from now on",
     .details = "The key stays in the list. Earlier requests with the key are not undone.",
     .parameters = revoke_parameters,
     .run = revoke},
    COMMANDS_END,
};
