#include "api/shapes.h"

const struct field date_shape[] = {
    {ROW("year", PART, offsetof(struct date, year))},
    {ROW("month", TWO_DIGITS, offsetof(struct date, month))},
    {ROW("day", TWO_DIGITS, offsetof(struct date, day))},
    SHAPE_END,
};

const struct field place_shape[] = {
    {ROW("lat", DECIMAL, offsetof(struct place, lat))},
    {ROW("lng", DECIMAL, offsetof(struct place, lng))},
    SHAPE_END,
};

#define COMMENT(field) offsetof(struct comment, field)

const struct field author_reply_shape[] = {
    {ROW("time", TIME, COMMENT(reply_time))},
    {ROW("reply", TEXT, COMMENT(reply))},
    SHAPE_END,
};

const struct field comment_shape[] = {
    {ROW("time", TIME, COMMENT(time))},
    {ROW("commenterName", TEXT, COMMENT(commenter_name))},
    {ROW("commenterIcon", TEXT, COMMENT(commenter_icon))},
    {ROW("comment", TEXT, COMMENT(text))},
    {ROW("authorReply", OBJECT, 0), .optional = true, .shape = author_reply_shape},
    SHAPE_END,
};

static const struct field choice_shape[] = {
    {ROW("description", TEXT, offsetof(struct vote_choice, description))},
    {ROW("votes", INTEGER, offsetof(struct vote_choice, votes))},
    SHAPE_END,
};

const struct field vote_shape[] = {
    {ROW("description", TEXT, offsetof(struct vote, description))},
    {ROW("choices", LIST, offsetof(struct vote, choices)), .shape = choice_shape, .item = "choice",
     .size = sizeof(struct vote_choice)},
    SHAPE_END,
};
