#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/log.h"
#include "ctl/groups.h"
#include "ctl/piece.h"
#include "store/photo.h"

#define SUBJECT_PARAMETER                                                                        \
    {                                                                                            \
        .name = "SUBJECT", .type = {VALUE_SUBJECT, .words = subject_words_with_photos}, OPERAND, \
        .meaning = "album:ID or poi:ID"                                                          \
    }

/* Add ---------------------------------------------------------------------------------------- */

enum { ADD_SUBJECT, ADD_ADDRESS, ADD_DESCRIPTION };

static const struct parameter add_parameters[] = {
    [ADD_SUBJECT] = SUBJECT_PARAMETER,
    [ADD_ADDRESS] = {.name = "ADDRESS",
                     .type = {VALUE_LINE, RANGE(1, TEXT_NOTE_MOST)},
                     OPERAND,
                     .meaning =
                         "of the thumbnail; of a place's photo absolute, with http: or https:"},
    [ADD_DESCRIPTION] = {.name = "description",
                         .type = {VALUE_TEXT, NOTE_RANGE},
                         .from_input = true,
                         .value = "TEXT",
                         .meaning = "words to it; - reads them from standard input"},
    PARAMETERS_END,
};

static bool is_address(const struct value *subject, const char *address)
{
    bool good = subject->subject != SUBJECT_POI || strncmp(address, "http://", 7) == 0 ||
                strncmp(address, "https://", 8) == 0;
    if (!good)
        log_error("ADDRESS: '%s' does not start with http:// or https://", address);
    return good;
}

static int add(struct invocation *run)
{
    int64_t photo_id = 0;
    const struct value *values = run->values;
    const struct value *subject = &values[ADD_SUBJECT];
    const char *description = values[ADD_DESCRIPTION].text;
    if (!is_address(subject, values[ADD_ADDRESS].text))
        return EXIT_USAGE;
    enum status status =
        photo_insert(run->batch, subject->subject, subject->number, values[ADD_ADDRESS].text,
                     description != NULL ? description : "", &photo_id);
    if (status == STATUS_OK)
        printf("%lld\n", (long long)photo_id);
    return command_end(status, "%s", subject->text);
}

/* Remove, order ------------------------------------------------------------------------------ */

enum { SUBJECT, PHOTO };

static const struct parameter remove_parameters[] = {
    [SUBJECT] = SUBJECT_PARAMETER,
    [PHOTO] = {.name = "PHOTO",
               .type = {VALUE_INTEGER, ID_RANGE},
               OPERAND,
               .meaning = "the photo's identifier"},
    PARAMETERS_END,
};

static int remove_photo(struct invocation *run)
{
    const struct value *subject = &run->values[SUBJECT];
    const struct value *photo = &run->values[PHOTO];
    enum status status = photo_delete(run->batch, subject->subject, subject->number, photo->number);
    return command_end(status, "photo %lld of %s", (long long)photo->number, subject->text);
}

static const struct parameter order_parameters[] = {
    [SUBJECT] = SUBJECT_PARAMETER,
    [PHOTO] = {.name = "PHOTO",
               .type = {VALUE_INTEGER, ID_RANGE},
               OPERAND,
               .many = true,
               .meaning = "the identifiers of all its photos, in their new order"},
    PARAMETERS_END,
};

static int order(struct invocation *run)
{
    const struct value *subject = &run->values[SUBJECT];
    const struct value *photos = &run->values[PHOTO];
    struct buffer list = {0};
    for (size_t i = 0; i < photos->count; i++)
        buffer_add_format(&list, "%s%lld", i == 0 ? "{" : ",", (long long)photos->numbers[i]);
    buffer_add(&list, "}", 2);
    enum status status = photo_order(run->batch, subject->subject, subject->number, list.data);
    buffer_free(&list);
    return command_end(status, "photos of %s, all of them", subject->text);
}

/* Cover -------------------------------------------------------------------------------------- */

enum { COVER_ALBUM, COVER_PHOTO };

static const struct parameter cover_parameters[] = {
    [COVER_ALBUM] = {.name = "ALBUM",
                     .type = {VALUE_INTEGER, ID_RANGE},
                     OPERAND,
                     .meaning = "the album's identifier"},
    [COVER_PHOTO] = {.name = "PHOTO",
                     .type = {VALUE_INTEGER, RANGE(0, INT64_MAX)},
                     OPERAND,
                     .meaning = "the identifier of one of its photos; 0 for no cover"},
    PARAMETERS_END,
};

static int cover(struct invocation *run)
{
    int64_t album = run->values[COVER_ALBUM].number, photo = run->values[COVER_PHOTO].number;
    return command_end(photo_set_cover(run->batch, album, photo), "photo %lld of album %lld",
                       (long long)photo, (long long)album);
}

const struct command photo_commands[] = {
    {.name = "add",
     .summary = "add a photo at the end and print its identifier",
     .parameters = add_parameters,
     .run = add},
    {.name = "remove",
     .summary = "remove a photo",
     .parameters = remove_parameters,
     .destroys = "removes the photo for good",
     .run = remove_photo},
    {.name = "order",
     .summary = "bring the photos into another order",
     .parameters = order_parameters,
     .run = order},
    {.name = "cover",
     .summary = "choose the photo that stands for an album",
     .parameters = cover_parameters,
     .run = cover},
    COMMANDS_END,
};
