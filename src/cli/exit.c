#include "cli/exit.h"

#include <stddef.h>

const struct exit_meaning exit_meanings[] = {
    {EXIT_DONE, "done"},
    {EXIT_FAILED, "failed, or doctor or photo verify found something; standard error says why"},
    {EXIT_USAGE, "wrong usage: no such command or option, or a value that it does not take"},
    {EXIT_DATA, "rows of the input were rejected: the others are in, or none with --strict"},
    {EXIT_ABSENT, "no such user, piece or file"},
    {EXIT_AWAY, "the database is away or too busy; try again later"},
    {EXIT_EXISTS, "it exists already"},
    {EXIT_REFUSED, "a rule forbids it, such as a vote that is closed"},
    {EXIT_UNCONFIRMED, "not confirmed; nothing was done"},
    {EXIT_CONFIGURATION, "the configuration cannot be read or is wrong"},
    {EXIT_DONE, NULL},
};

static const enum exit_status exits[STATUS_COUNT] = {
    [STATUS_PARAMETER_MISSING] = EXIT_USAGE,
    [STATUS_PARAMETER_INVALID] = EXIT_USAGE,
    [STATUS_ALBUM_NOT_FOUND] = EXIT_ABSENT,
    [STATUS_POI_NOT_FOUND] = EXIT_ABSENT,
    [STATUS_BLOG_NOT_FOUND] = EXIT_ABSENT,
    [STATUS_USER_NOT_FOUND] = EXIT_ABSENT,
    [STATUS_COMMENT_NOT_FOUND] = EXIT_ABSENT,
    [STATUS_VOTE_NOT_FOUND] = EXIT_ABSENT,
    [STATUS_ADVERTISEMENT_NOT_FOUND] = EXIT_ABSENT,
    [STATUS_ALREADY_VOTED] = EXIT_EXISTS,
    [STATUS_VOTE_CLOSED] = EXIT_REFUSED,
    [STATUS_OWN_PIECE] = EXIT_REFUSED,
    [STATUS_NOT_FOUND] = EXIT_ABSENT,
    [STATUS_CONFLICT] = EXIT_EXISTS,
    [STATUS_UNAVAILABLE] = EXIT_AWAY,
};

enum exit_status exit_status_of(enum status status)
{
    if (status == STATUS_OK)
        return EXIT_DONE;
    return exits[status] != EXIT_DONE ? exits[status] : EXIT_FAILED;
}
