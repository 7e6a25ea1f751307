#include "store/photo.h"
#include "base/buffer.h"
#include "base/log.h"
#include "base/text.h"
#include "ctl/change.h"
#include "ctl/decide.h"
#include "ctl/groups.h"
#include "ctl/photo_files.h"
#include "ctl/picture.h"
#include "ctl/piece.h"
#include "store/photo.h"
#include "store/photo_file.h"

#define PHOTO_SUBJECT_PARAMETER                                   \
    {.name = "SUBJECT",                                           \
     .type = {VALUE_SUBJECT, .words = subject_words_with_photos}, \
     OPERAND,                                                     \
     .meaning = "album:ID or poi:ID"}

#define PHOTO_PARAMETER ID_OPERAND("PHOTO", "the photo's identifier")
#define ADDRESS_MEANING "of the thumbnail; of a place's photo absolute, with http: or https:"

/* Add ---------------------------------------------------------------------------------------- */

enum { ADD_SUBJECT, ADD_ADDRESS, ADD_FILE, ADD_DESCRIPTION };

static const struct parameter add_parameters[] = {
    [ADD_SUBJECT] = PHOTO_SUBJECT_PARAMETER,
    [ADD_ADDRESS] = {.name = "ADDRESS",
                     .type = {VALUE_LINE, RANGE(1, TEXT_NOTE_MOST)},
                     OPERAND,
                     .meaning = ADDRESS_MEANING "; with --file, a path"},
    [ADD_FILE] = {.name = "file",
                  .type = {.kind = VALUE_FLAG},
                  .meaning = "ADDRESS is a file, to be kept like an uploaded photo"},
    [ADD_DESCRIPTION] = {.name = "description",
                         .type = {VALUE_TEXT, NOTE_RANGE},
                         .from_input = true,
                         .value = "TEXT",
                         .meaning = "the description; - reads the description from standard "
                                    "input"},
    PARAMETERS_END,
};

/* NULL is none, which is good. */
static bool is_address(const struct value *subject, const char *name, const char *address)
{
    bool good = subject->subject != SUBJECT_POI || address == NULL || text_is_http(address);
    if (!good)
        log_error("%s: '%s' does not start with http:// or https://", name, address);
    return good;
}

/* Decoded before anything is locked. */
static enum status add_file(struct invocation *run, const char *description, int64_t *photo_id)
{
    const struct value *subject = &run->values[ADD_SUBJECT];
    struct photo_upload upload;
    struct picture_maker maker;
    enum status status = picture_maker_open(&maker, &run->config);
    if (status == STATUS_OK)
        status = photo_file_hold(run->batch);
    if (status == STATUS_OK)
        status = picture_make_photo(&maker, run->values[ADD_ADDRESS].text, run->arena, &upload);
    picture_maker_close(&maker);
    if (status != STATUS_OK)
        return status;
    upload.description = description;
    return photo_upload_for_owner(run->batch, subject->subject, subject->number, &upload, photo_id);
}

static enum status add_address(struct invocation *run, const char *description, int64_t *photo_id)
{
    const struct value *subject = &run->values[ADD_SUBJECT];
    return photo_insert(run->batch, subject->subject, subject->number,
                        run->values[ADD_ADDRESS].text, description, photo_id);
}

static int add(struct invocation *run)
{
    int64_t photo_id = 0;
    const struct value *values = run->values;
    const struct value *subject = &values[ADD_SUBJECT];
    const char *words = values[ADD_DESCRIPTION].text, *description = words != NULL ? words : "";
    bool is_file = values[ADD_FILE].text != NULL;
    if (!is_file && !is_address(subject, "ADDRESS", values[ADD_ADDRESS].text))
        return EXIT_USAGE;
    enum status status =
        is_file ? add_file(run, description, &photo_id) : add_address(run, description, &photo_id);
    command_print(status, photo_id);
    return is_file ? command_end(status, "%s for %s", values[ADD_ADDRESS].text, subject->text)
                   : command_end(status, "%s", subject->text);
}

/* Change ------------------------------------------------------------------------------------- */

enum { CHANGE_SUBJECT, CHANGE_PHOTO, CHANGE_ADDRESS, CHANGE_DESCRIPTION };

static const struct parameter update_parameters[] = {
    [CHANGE_SUBJECT] = PHOTO_SUBJECT_PARAMETER,
    [CHANGE_PHOTO] = PHOTO_PARAMETER,
    [CHANGE_ADDRESS] = {.name = "address",
                        .type = {VALUE_LINE, RANGE(1, TEXT_NOTE_MOST)},
                        .value = "ADDRESS",
                        .meaning = ADDRESS_MEANING},
    [CHANGE_DESCRIPTION] = {.name = "description",
                            .type = {VALUE_TEXT, NOTE_RANGE},
                            .from_input = true,
                            .value = "TEXT",
                            .meaning = "the description; - reads the description from standard "
                                       "input"},
    PARAMETERS_END,
};

static int update(struct invocation *run)
{
    const struct value *values = run->values;
    const struct value *subject = &values[CHANGE_SUBJECT];
    const struct photo change = {
        .photo_id = values[CHANGE_PHOTO].number,
        .address = values[CHANGE_ADDRESS].text,
        .description = values[CHANGE_DESCRIPTION].text,
    };
    if (!change_is_given(run) || !is_address(subject, "--address", change.address))
        return EXIT_USAGE;
    return command_end(photo_edit(run->batch, subject->subject, subject->number, &change),
                       "photo %lld of %s", (long long)change.photo_id, subject->text);
}

/* Remove, order ------------------------------------------------------------------------------ */

enum { SUBJECT, PHOTO };

static const struct parameter photo_parameters[] = {
    [SUBJECT] = PHOTO_SUBJECT_PARAMETER,
    [PHOTO] = PHOTO_PARAMETER,
    PARAMETERS_END,
};

static int remove_photo(struct invocation *run)
{
    const struct value *subject = &run->values[SUBJECT];
    const struct value *photo = &run->values[PHOTO];
    const struct db_rows *published = NULL;
    change_begin(run);
    enum status status =
        photo_delete(run->batch, subject->subject, subject->number, photo->number, &published);
    return command_end(change_finish(run, status, published), "photo %lld of %s",
                       (long long)photo->number, subject->text);
}

static const struct parameter order_parameters[] = {
    [SUBJECT] = PHOTO_SUBJECT_PARAMETER,
    [PHOTO] = {.name = "PHOTO",
               .type = {VALUE_INTEGER, ID_RANGE},
               OPERAND,
               .many = true,
               .meaning = "the identifiers of all photos there, in the new order"},
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
    [COVER_ALBUM] = ID_OPERAND("ALBUM", "the album's identifier"),
    [COVER_PHOTO] = {.name = "PHOTO",
                     .type = {VALUE_INTEGER, RANGE(0, INT64_MAX)},
                     OPERAND,
                     .meaning = "the identifier of a photo of the album; 0 for no cover"},
    PARAMETERS_END,
};

static int cover(struct invocation *run)
{
    int64_t album = run->values[COVER_ALBUM].number, photo = run->values[COVER_PHOTO].number;
    return command_end(photo_set_cover(run->batch, album, photo), "photo %lld of album %lld",
                       (long long)photo, (long long)album);
}

/* Show, list --------------------------------------------------------------------------------- */

/* Of one that was uploaded. */
#define FILE_COLUMNS "width", "height", "taken", "bytes", "SHA256", "hidden"

static const char *const of_album[] = {"photoID",   "albumID",     "ownerID",    "position",
                                       "thumbnail", "description", FILE_COLUMNS, NULL};

static const char *const of_poi[] = {"photoID",   "POIID",       "ownerID",    "position",
                                     "photoPath", "description", FILE_COLUMNS, NULL};

static const char *const *const shown[] = {[SUBJECT_ALBUM] = of_album, [SUBJECT_POI] = of_poi};

static int show(struct invocation *run)
{
    const struct value *subject = &run->values[SUBJECT];
    const struct value *photo = &run->values[PHOTO];
    struct output_rows rows = {run->out, shown[subject->subject]};
    enum status status =
        photo_show(run->batch, subject->subject, subject->number, photo->number, output_row, &rows);
    return command_end(status, "photo %lld of %s", (long long)photo->number, subject->text);
}

enum { LIST_OF_KIND, LIST_OWNER, LIST_PART };

static const struct parameter list_parameters[] = {
    [LIST_OF_KIND] = {.name = "KIND",
                      .type = {VALUE_CHOICE, .words = subject_words_with_photos},
                      OPERAND,
                      .meaning = "the kind of piece: album or poi"},
    [LIST_OWNER] = {USER_OPTION("owner", "only photos of this user")},
    [LIST_PART] = PART_PARAMETERS,
    PARAMETERS_END,
};

static int list(struct invocation *run)
{
    const struct value *values = run->values;
    const struct list_part part = part_of(&values[LIST_PART]);
    enum subject subject = (enum subject)values[LIST_OF_KIND].number;
    struct output_rows rows = {run->out, shown[subject]};
    enum status status =
        photo_list(run->batch, subject, values[LIST_OWNER].number, &part, output_row, &rows);
    return command_end(status, "photos");
}

/* Decide ------------------------------------------------------------------------------------- */

static const struct parameter hide_parameters[] = DECIDE_PARAMETERS(PHOTO_PARAMETER, true);
static const struct parameter unhide_parameters[] = DECIDE_PARAMETERS(PHOTO_PARAMETER, false);

const struct command photo_commands[] = {
    {.name = "add",
     .summary = "add a photo at the end and print its identifier",
     .parameters = add_parameters,
     .run = add},
    {.name = "update",
     .summary = "change the given values, and leave the rest",
     .parameters = update_parameters,
     .run = update},
    {.name = "remove",
     .summary = "remove a photo",
     .parameters = photo_parameters,
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
    {.name = "show",
     .summary = "show a photo",
     .parameters = photo_parameters,
     .shows = SHOWS_ONE,
     .run = show},
    {.name = "list",
     .summary = "list the photos of all albums, or of all points of interest",
     .parameters = list_parameters,
     .shows = SHOWS_LIST,
     .run = list},
    {.name = "hide",
     .summary = "hide a photo from all readers except the owner",
     .details =
         "The decision upholds the open reports of the photo. The owner and the reporters are\n"
         "told by mail. The files of the photo are at no address any more.",
     .parameters = hide_parameters,
     .run = decide_about},
    {.name = "unhide",
     .summary = "show a hidden photo again",
     .details = "The owner is told by mail. The decision dismisses the open reports of the photo.",
     .parameters = unhide_parameters,
     .run = decide_about},
    {.name = "sweep",
     .summary = "find the files of photos that nothing names any more, and take them",
     .details =
         "A deletion takes the files of a photo along at once. If a crash has left such files,\n"
         "the sweep deletes them with --yes. The sweep marks any other file when it first finds\n"
         "that no photo and no icon names the file. A file is due if the mark is older than a\n"
         "week and the file was put there more than a week ago. With --yes, the sweep deletes the\n"
         "due files, and withdraws links to photos that are not public (only a crash leaves such\n"
         "links). Without --yes, the sweep only counts, but still marks files. A timer sweeps\n"
         "daily, and disturbs no upload. The first sweep notes the database of the files. For\n"
         "another database, a sweep takes no files, unless --adopt says that the files belong to\n"
         "that database from now on.",
     .parameters = photo_sweep_parameters,
     .shows = SHOWS_ONE,
     .run = photo_sweep},
    {.name = "verify",
     .summary = "read all files of photos, and name the damaged and missing files",
     .details = "A fault makes the exit status 1; a copy of the file in its place mends the fault.",
     .parameters = photo_verify_parameters,
     .shows = SHOWS_LIST,
     .run = photo_verify},
    COMMANDS_END,
};
