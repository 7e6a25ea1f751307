/*
 * The decoder: makes pictures fit to be published of what strangers send. mapdiaryd starts it, with
 * a channel for its jobs as standard input.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "base/usage.h"
#include "decoder/serve.h"

static const char usage[] =
    "usage: mapdiary-decoder [LOG-LEVEL [SECONDS] | -V | -h]\n"
    "  LOG-LEVEL      3 to 7, as in syslog(3)\n"
    "  SECONDS        the longest time for a picture\n"
    "  -V, --version  print the version and end\n"
    "  -h, --help     print this and end\n"
    "mapdiaryd starts mapdiary-decoder, with the socket for jobs as standard input.\n";

static bool is_channel(int descriptor)
{
    int type = 0;
    socklen_t size = sizeof type;
    return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

static bool is_word(const char *word, const char *letter, const char *whole)
{
    return strcmp(word, letter) == 0 || strcmp(word, whole) == 0;
}

static bool read_level(const char *word)
{
    int64_t level = 0;
    bool is_level =
        text_to_integer(word, &level) && level >= LOG_LEVEL_ERROR && level <= LOG_LEVEL_DEBUG;
    if (is_level)
        log_set_level((enum log_level)level);
    return is_level;
}

static bool read_limit(const char *word, int64_t *limit)
{
    int64_t seconds = 0;
    bool is_limit = text_to_integer(word, &seconds) && seconds > 0 && seconds <= SERVE_LIMIT / 1000;
    *limit = seconds * 1000;
    return is_limit;
}

/* 0 to serve. */
static int read_mode(int argc, char **argv, int64_t *limit)
{
    const char *word = argc == 2 ? argv[1] : "";
    if (is_word(word, "-h", "--help"))
        return 'h';
    if (is_word(word, "-V", "--version"))
        return 'V';
    bool is_wrong = argc > 3 || (argc > 1 && !read_level(argv[1])) ||
                    (argc > 2 && !read_limit(argv[2], limit)) || !is_channel(STDIN_FILENO);
    return is_wrong ? '?' : 0;
}

int main(int argc, char **argv)
{
    int64_t limit = SERVE_LIMIT;
    int status, mode = read_mode(argc, argv, &limit);
    return usage_answer(mode, "mapdiary-decoder", usage, &status) ? status
                                                                  : serve(STDIN_FILENO, limit);
}
