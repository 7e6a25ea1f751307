/*
 * The service: reads its options and configuration, opens the socket, and runs the master.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/listing.h"
#include "api/operations.h"
#include "auth/key.h"
#include "auth/origin.h"
#include "auth/password.h"
#include "base/config.h"
#include "base/crypto.h"
#include "base/log.h"
#include "db/conninfo.h"
#include "db/pooler.h"
#include "fcgi/spool.h"
#include "serve/listener.h"
#include "serve/master.h"
#include "store/registry.h"

enum { EXIT_USAGE = 64 }; /* EX_USAGE of sysexits.h */

static const char usage[] =
    "usage: mapdiaryd [-c FILE] [-t | -T | --operations | -V | -h]\n"
    "  -c FILE        the configuration ($MAPDIARY_CONF, else " MAPDIARY_CONFIG_FILE ")\n"
    "  -t             check the configuration and end\n"
    "  -T             print the configuration with the meaning of each key and end\n"
    "  --operations   print the operations of the interface and their parameters and end\n"
    "  -V, --version  print the version and end\n"
    "  -h, --help     print this and end\n"
    "Without one of these it serves in the foreground until SIGTERM.\n";

static enum status check_database(const struct config *config, const char *path, const char *key,
                                  const char *conninfo)
{
    char reason[256];
    enum status status = db_check_conninfo(conninfo, reason, sizeof reason);
    if (status != STATUS_OK)
        config_complain(config, path, key, reason);
    return status;
}

static enum status check_password_cost(const struct config *config, const char *path)
{
    const struct password_cost cost = {config->password_memory, config->password_operations};
    if (password_is_affordable(&cost))
        return STATUS_OK;
    config_complain(config, path, "password_operations",
                    "password_memory times password_operations is more than 2048");
    return STATUS_INTERNAL;
}

static enum status check_spool(const struct config *config, const char *path)
{
    if (spool_check(config->spool_directory))
        return STATUS_OK;
    char reason[512];
    snprintf(reason, sizeof reason, "no file can be made in %s: %s", config->spool_directory,
             strerror(errno));
    config_complain(config, path, "spool_directory", reason);
    return STATUS_INTERNAL;
}

static enum status check_origins(const struct config *config, const char *path)
{
    char reason[256];
    enum status status = origin_check_list(config->allowed_origins, reason, sizeof reason);
    if (status != STATUS_OK)
        config_complain(config, path, "allowed_origins", reason);
    return status;
}

/* What the table of keys cannot tell by itself is checked here. */
static enum status read_config(struct config *config, const char *path)
{
    enum status status = config_read(config, path);
    if (status != STATUS_OK)
        return status;
    status = check_database(config, path, "database", config->database);
    if (status == STATUS_OK)
        status = check_database(config, path, "read_database", config->read_database);
    if (status == STATUS_OK)
        status = check_password_cost(config, path);
    if (status == STATUS_OK)
        status = check_origins(config, path);
    if (status == STATUS_OK)
        status = master_key_check(config);
    if (status == STATUS_OK)
        status = check_spool(config, path);
    if (status != STATUS_OK)
        config_free(config);
    return status;
}

/* Without a database the service starts all the same, and says so to every request. */
static enum status check_pooler(const char *key, const char *conninfo)
{
    char reason[128];
    enum status status = STATUS_OK;
    if (*conninfo != '\0')
        status = db_check_pooler(conninfo, reason, sizeof reason);
    if (status != STATUS_OK)
        log_error("%s: %s", key, reason);
    return status;
}

static int serve(const char *path, struct config *config)
{
    struct listener listener;
    if (check_pooler("database", config->database) != STATUS_OK ||
        check_pooler("read_database", config->read_database) != STATUS_OK ||
        listener_open(config, &listener) != STATUS_OK)
        return EXIT_FAILURE;
    const struct master_options options = {.config_path = path,
                                           .config = config,
                                           .read_config = read_config,
                                           .operations = operations,
                                           .registry = store_registry,
                                           .listener = &listener};
    int status = master_run(&options);
    listener_close(&listener);
    return status;
}

static int show(const char *path)
{
    struct config config;
    if (config_read(&config, path) != STATUS_OK)
        return EXIT_FAILURE;
    config_print(&config, stdout);
    config_free(&config);
    return EXIT_SUCCESS;
}

static int check_or_serve(const char *path, int mode)
{
    struct config config;
    int status = EXIT_SUCCESS;
    if (crypto_open() != STATUS_OK || read_config(&config, path) != STATUS_OK)
        return EXIT_FAILURE;
    log_set_level((enum log_level)config.log_level);
    if (mode != 't')
        status = serve(path, &config);
    config_free(&config);
    return status;
}

static int show_operations(void)
{
    struct buffer text = {0};
    listing_write(operations, &text);
    fwrite(text.data, 1, text.length, stdout);
    buffer_free(&text);
    return EXIT_SUCCESS;
}

/* The letter of the option that says what to do: 0 to serve, '?' where it is none of ours. */
static int read_options(int argc, char **argv, const char **path)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'},
                                            {"operations", no_argument, NULL, 'o'},
                                            {"version", no_argument, NULL, 'V'},
                                            {0}};
    int option, mode = 0;
    while ((option = getopt_long(argc, argv, "c:tTVh", options, NULL)) != -1) {
        if (option == 'c')
            *path = optarg;
        else if (mode != '?')
            mode = option;
    }
    return optind == argc ? mode : '?';
}

int main(int argc, char **argv)
{
    const char *path = NULL;
    int mode = read_options(argc, argv, &path);
    switch (mode) {
    case '?':
        fputs(usage, stderr);
        return EXIT_USAGE;
    case 'h':
        fputs(usage, stdout);
        return EXIT_SUCCESS;
    case 'V':
        puts("mapdiaryd " PACKAGE_VERSION);
        return EXIT_SUCCESS;
    case 'o':
        return show_operations();
    case 'T':
        return show(config_path(path));
    default:
        return check_or_serve(config_path(path), mode);
    }
}
