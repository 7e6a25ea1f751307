/*
 * The service: reads its options and configuration, opens the socket, and runs the pool.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "auth/key.h"
#include "base/config.h"
#include "base/crypto.h"
#include "base/log.h"
#include "ops/operations.h"
#include "pool/listener.h"
#include "pool/pool.h"
#include "store/registry.h"

enum { EXIT_USAGE = 64 }; /* EX_USAGE of sysexits.h */

static const char usage[] =
    "usage: mapdiaryd [-c FILE] [-t | -T | -V | -h]\n"
    "  -c FILE  the configuration ($MAPDIARY_CONF, else " MAPDIARY_CONFIG_FILE ")\n"
    "  -t       check the configuration and end\n"
    "  -T       print the configuration with the meaning of each key and end\n"
    "  -V       print the version and end\n"
    "  -h       print this and end\n"
    "Without one of these it serves in the foreground until SIGTERM.\n";

static int serve(const char *path, struct config *config)
{
    struct listener listener;
    if (listener_open(config, &listener) != STATUS_OK)
        return EXIT_FAILURE;
    const struct pool_options options = {.config_path = path,
                                         .config = config,
                                         .operations = operations,
                                         .registry = store_registry,
                                         .listener = &listener};
    int status = pool_run(&options);
    listener_close(&listener);
    return status;
}

static int run(const char *path, char mode)
{
    struct config config;
    int status = EXIT_SUCCESS;
    if (crypto_open() != STATUS_OK || config_read(&config, path) != STATUS_OK)
        return EXIT_FAILURE;
    log_set_level((enum log_level)config.log_level);
    if (mode == 'T')
        config_print(&config, stdout);
    else if (master_key_check(&config) != STATUS_OK)
        status = EXIT_FAILURE;
    else if (mode != 't')
        status = serve(path, &config);
    config_free(&config);
    return status;
}

int main(int argc, char **argv)
{
    const char *path = NULL;
    char mode = 0;
    int option;
    while ((option = getopt(argc, argv, "c:tTVh")) != -1) {
        if (option == 'c') {
            path = optarg;
        } else if (option == '?') {
            fputs(usage, stderr);
            return EXIT_USAGE;
        } else {
            mode = (char)option;
        }
    }
    if (optind != argc) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    if (mode == 'h' || mode == 'V') {
        fputs(mode == 'h' ? usage : "mapdiaryd " PACKAGE_VERSION "\n", stdout);
        return EXIT_SUCCESS;
    }
    return run(config_path(path), mode);
}
