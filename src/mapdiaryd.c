/*
 * The service: reads its options and configuration, opens the socket, and runs the master.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "api/operations.h"
#include "base/config.h"
#include "base/crypto.h"
#include "base/log.h"
#include "base/usage.h"
#include "base/user.h"
#include "run/reload.h"
#include "serve/listener.h"
#include "serve/master.h"
#include "settings/settings.h"
#include "store/registry.h"

static const char usage[] =
    "usage: mapdiaryd [-c FILE] [-t [--offline] | -T | --reload PID | -V | -h]\n"
    "  -c FILE        the configuration ($MAPDIARY_CONF, else " MAPDIARY_CONFIG_FILE ")\n"
    "  -t             check the configuration, ask PostgreSQL whether it works, and end\n"
    "  --offline      with -t: do not ask PostgreSQL\n"
    "  -T             print the configuration with the meaning of each key and end\n"
    "  --reload PID   reload the service of this process, wait for the end of the reload, and end\n"
    "  -V, --version  print the version and end\n"
    "  -h, --help     print this and end\n"
    "Otherwise mapdiaryd serves in the foreground until SIGTERM.\n";

/* Without a database the service starts all the same, and says so to every request. */
static int serve(const char *path, struct config *config)
{
    struct listener listener;
    if (settings_ask_before_start(config, path) == SETTINGS_FAULTY)
        return EX_CONFIG;
    if (listener_open(config, &listener) != STATUS_OK)
        return EXIT_FAILURE;
    const struct master_options options = {.config_path = path,
                                           .config = config,
                                           .read_config = settings_read,
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
        return EX_CONFIG;
    config_print(&config, stdout);
    config_free(&config);
    return EX_OK;
}

static int read_and_serve(const char *path)
{
    struct config config;
    if (settings_read(&config, path) != STATUS_OK)
        return EX_CONFIG;
    log_set_level((enum log_level)config.log_level);
    int status = serve(path, &config);
    config_free(&config);
    return status;
}

/* What its user may not read, the service may not. */
static bool is_readable(const char *path)
{
    if (euidaccess(path, R_OK) == 0)
        return true;
    int error = errno;
    log_error("%s: %s, as %s", path, strerror(error), user_name());
    return false;
}

/* Root asks as the service would, as whom PostgreSQL knows the user of the system. */
static int check(const char *path, bool offline)
{
    static const int exits[] = {[SETTINGS_GOOD] = EX_OK,
                                [SETTINGS_UNKNOWN] = EX_UNAVAILABLE,
                                [SETTINGS_FAULTY] = EX_CONFIG};
    struct config config;
    struct wording wording = {0};
    int exit = EX_CONFIG;
    if (config_read(&config, path) != STATUS_OK)
        return exit;
    if (user_become_owner(config.spool_directory) && is_readable(path) &&
        settings_check(&config, path) == STATUS_OK &&
        settings_read_wording(&config, path, &wording) == STATUS_OK)
        exit = offline ? EX_OK : exits[settings_ask(&config, path)];
    wording_free(&wording);
    config_free(&config);
    return exit;
}

struct words {
    const char *path;
    pid_t master;
    int mode; /* the letter of the option that says what to do: 0 to serve, '?' where it is none */
    bool offline;
};

static struct words read_words(int argc, char **argv)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'},
                                            {"offline", no_argument, NULL, 'O'},
                                            {"reload", required_argument, NULL, 'r'},
                                            {"version", no_argument, NULL, 'V'},
                                            {0}};
    struct words words = {.path = NULL};
    int option;
    while ((option = getopt_long(argc, argv, "c:tTVh", options, NULL)) != -1) {
        if (option == 'c')
            words.path = optarg;
        else if (option == 'O')
            words.offline = true;
        else if (words.mode != '?')
            words.mode = option;
        if (option == 'r')
            words.master = reload_process(optarg);
    }
    if (words.mode == 'r' && words.master == 0)
        words.mode = '?';
    if (optind != argc || (words.offline && words.mode != 't'))
        words.mode = '?';
    words.path = config_path(words.path);
    return words;
}

int main(int argc, char **argv)
{
    const struct words words = read_words(argc, argv);
    int status;
    if (usage_answer(words.mode, "mapdiaryd", usage, &status))
        return status;
    switch (words.mode) {
    case 'r':
        return reload_ask(words.master) ? EXIT_SUCCESS : EXIT_FAILURE;
    case 'T':
        return show(words.path);
    default:
        if (crypto_open() != STATUS_OK)
            return EXIT_FAILURE;
        return words.mode == 't' ? check(words.path, words.offline) : read_and_serve(words.path);
    }
}
