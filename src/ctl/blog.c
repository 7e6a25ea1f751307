#include "store/blog.h"
#include "ctl/groups.h"
#include "ctl/piece.h"

enum { BLOG };

static const struct parameter show_parameters[] = {
    [BLOG] = {.name = "BLOG",
              .type = {VALUE_INTEGER, ID_RANGE},
              OPERAND,
              .meaning = "the blog's identifier"},
    PARAMETERS_END,
};

static int show(struct invocation *run)
{
    return piece_show(run, SUBJECT_BLOG, run->values[BLOG].number);
}

enum { USER, LIMIT };

static const struct parameter list_parameters[] = {
    [USER] = {.name = "user",
              .type = {.kind = VALUE_USER},
              .value = "USER",
              .meaning = "only those of this author: identifier or email address"},
    [LIMIT] = LIMIT_PARAMETER,
    PARAMETERS_END,
};

static const struct column listed[] = {
    {"blogID", COLUMN_INTEGER},
    {"authorID", COLUMN_INTEGER},
    {"type", COLUMN_TEXT},
    {"postDate", COLUMN_DATE},
    {"blogTitle", COLUMN_TEXT},
    {"score", COLUMN_INTEGER},
    COLUMNS_END,
};

static int list(struct invocation *run)
{
    struct output_rows rows = {run->out, listed};
    enum status status = blog_list(run->batch, run->values[USER].number, run->values[LIMIT].number,
                                   output_row, &rows);
    return command_end(status, "blogs");
}

const struct command blog_commands[] = {
    {.name = "show",
     .summary = "show a blog with its vote and comments, those of the future too",
     .parameters = show_parameters,
     .shows = SHOWS_ONE,
     .run = show},
    {.name = "list",
     .summary = "list blogs",
     .parameters = list_parameters,
     .shows = SHOWS_LIST,
     .run = list},
    COMMANDS_END,
};
