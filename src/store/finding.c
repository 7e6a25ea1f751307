#include "store/finding.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/run.h"
#include "store/shown.h"
#include "store/statements.h"
#include "store/user.h"

enum { LISTED_COLUMNS = 16 };
/* So many pieces a view of the map has at most, as an answer has places and clusters. */
#define STREET_MOST 500

const struct finding_position finding_first = {.class = -1, .far = -(double)INFINITY};
const struct finding_position finding_latest = {.date = {0}};

/* Rows ----------------------------------------------------------------------------------------- */

/* A blog has a type and its day, the others a category and that of their last change. */
static void read_slot(struct listed_piece *piece, const char *slot)
{
    if (piece->subject == SUBJECT_BLOG)
        piece->type = slot;
    else
        piece->category = strtoll(slot, NULL, 10);
}

static struct listed_piece read_piece(struct db_row *row)
{
    struct listed_piece piece = {.subject = (enum subject)db_read_integer(row)};
    bool is_blog = piece.subject == SUBJECT_BLOG;
    piece.kind = subject_kinds[piece.subject];
    piece.ids[piece.subject] = db_read_integer(row);
    piece.title = db_read_text(row);
    piece.summary = db_read_text(row);
    read_slot(&piece, db_read_text(row));
    piece.place.lat = db_read_text(row);
    piece.place.lng = db_read_text(row);
    piece.thumbnail = db_read_text(row);
    piece.owner_id = db_read_integer(row);
    piece.owner_name = db_read_text(row);
    piece.owner_icon = db_read_text(row);
    *(is_blog ? &piece.posted : &piece.updated) = db_read_date(row);
    piece.public_from = db_read_date(row);
    piece.score = db_read_integer(row);
    piece.changed = db_read_epoch(row);
    piece.published = db_read_epoch(row);
    return piece;
}

static double read_far(struct db_row *row)
{
    return strtod(db_read_text(row), NULL);
}

static struct finding_position position_of(const struct listed_piece *piece, double far)
{
    return (struct finding_position){.far = far,
                                     .subject = piece->subject,
                                     .id = piece->ids[piece->subject],
                                     .date = piece->posted};
}

static const char *metres(struct arena *arena, double far)
{
    return arena_format(arena, "%.0f", floor(far + 0.5));
}

/* What a statement adds to a piece. */
typedef struct finding_position read_function(struct db_row *row, struct listed_piece *piece,
                                              struct arena *arena);

static struct finding_position read_near(struct db_row *row, struct listed_piece *piece,
                                         struct arena *arena)
{
    double far = read_far(row);
    piece->distance = metres(arena, far);
    return position_of(piece, far);
}

static struct finding_position read_match(struct db_row *row, struct listed_piece *piece,
                                          struct arena *arena)
{
    struct finding_position position = position_of(piece, read_far(row));
    position.class = db_read_integer(row);
    position.age = db_read_integer(row);
    if (db_read_boolean(row))
        piece->distance = metres(arena, position.far);
    return position;
}

static struct finding_position read_blog(struct db_row *row, struct listed_piece *piece,
                                         struct arena *arena)
{
    (void)row, (void)arena;
    return position_of(piece, 0);
}

static struct finding_position read_day(struct db_row *row, struct listed_piece *piece,
                                        struct arena *arena)
{
    (void)arena;
    struct finding_position position = position_of(piece, 0);
    position.date = piece->day = db_read_date(row);
    position.age = db_read_integer(row);
    return position;
}

/* A row more than the page has says that there is another one. */
static void read_page(const struct finder *finder, const struct db_rows *rows,
                      const struct finding_page *page, read_function *read)
{
    struct found *found = finder->found;
    size_t count = db_rows_count(rows);
    found->has_more = count > (size_t)page->limit;
    if (found->has_more)
        count = (size_t)page->limit;
    struct listed_piece *list = arena_take_array(finder->arena, count, sizeof *list);
    found->ends = arena_take_array(finder->arena, count, sizeof *found->ends);
    for (size_t i = 0; i < count; i++) {
        struct db_row row = db_row(rows, i);
        list[i] = read_piece(&row);
        found->ends[i] = read(&row, &list[i], finder->arena);
        found->ends[i].before = page->after.before + (int64_t)i + 1;
    }
    found->pieces = (struct listed_pieces){list, count};
}

/* Running -------------------------------------------------------------------------------------- */

static enum status run(const struct finder *finder, const struct db_rows *must_be,
                       enum status absent)
{
    const struct db_rows *site =
        finder->is_feed ? DB_ADD(finder->batch, SQL_FINDING_FEED, db_id(finder->user_id)) : NULL;
    enum status status =
        must_be != NULL ? store_run(finder->batch, must_be, absent) : db_batch_run(finder->batch);
    if (status == STATUS_OK && site != NULL) {
        struct db_row row = db_row(site, 0);
        finder->found->site = db_read_text(&row);
        finder->found->user_name = db_read_text(&row);
    }
    return status;
}

static enum status run_page(const struct finder *finder, const struct db_rows *rows,
                            const struct finding_page *page, read_function *read)
{
    enum status status = run(finder, NULL, STATUS_OK);
    if (status == STATUS_OK)
        read_page(finder, rows, page, read);
    return status;
}

/* A real number as PostgreSQL reads it back. */
static struct db_value real(struct arena *arena, double number)
{
    return db_text(arena_format(arena, "%.17g", number));
}

static struct db_value day_or(struct arena *arena, struct date date, const char *none)
{
    char text[DATE_TEXT_SIZE];
    return db_text(date.year > 0 ? arena_format(arena, "%s", date_text(date, text)) : none);
}

#define READER_VALUES(finder) shown_user((finder)->reader), shown_token((finder)->reader)

enum status finding_nearby(const struct finder *finder, const struct nearby *nearby,
                           const struct finding_page *page)
{
    const struct db_rows *rows = DB_ADD(
        finder->batch, SQL_FINDING_NEARBY, db_text(nearby->place.lat), READER_VALUES(finder),
        db_text(nearby->place.lng), db_integer(nearby->radius), db_integer(nearby->slots.first),
        db_integer(nearby->slots.last), real(finder->arena, page->after.far),
        db_integer(page->after.subject), db_integer(page->after.id), db_integer(page->after.before),
        db_integer(page->limit + 1));
    return run_page(finder, rows, page, read_near);
}

enum status finding_by_words(const struct finder *finder, const struct words *words,
                             const struct finding_page *page)
{
    const struct db_rows *rows =
        DB_ADD(finder->batch, SQL_FINDING_BY_WORDS, db_text(words->text), READER_VALUES(finder),
               db_integer(page->after.class), db_integer(page->limit + 1), db_integer(words->first),
               db_integer(words->last), db_text(words->place.lat), db_text(words->place.lng),
               real(finder->arena, page->after.far), db_integer(page->after.age));
    return run_page(finder, rows, page, read_match);
}

enum status finding_suggestion(const struct finder *finder, const struct words *words,
                               const char **suggestion)
{
    const struct db_rows *rows =
        DB_ADD(finder->batch, SQL_FINDING_SUGGESTION, db_text(words->text), READER_VALUES(finder),
               db_integer(words->first), db_integer(words->last));
    enum status status = db_batch_run(finder->batch);
    if (status == STATUS_OK) {
        struct db_row row = db_row(rows, 0);
        *suggestion = db_read_text(&row);
    }
    return status;
}

enum status finding_blogs(const struct finder *finder, const char *type,
                          const struct finding_page *page)
{
    int64_t user_id = finder->user_id;
    static const struct db_statement *const statements[2][2] = {
        {SQL_FINDING_BLOGS, SQL_FINDING_BLOGS_OF_TYPE},
        {SQL_FINDING_BLOGS_OF_USER, SQL_FINDING_BLOGS_OF_BOTH}};
    const struct db_rows *user = user_id != 0 ? user_exists_add(finder->batch, user_id) : NULL;
    const struct db_rows *rows = DB_ADD(finder->batch, statements[user_id != 0][type != NULL],
                                        day_or(finder->arena, page->after.date, "infinity"),
                                        READER_VALUES(finder), db_integer(page->after.id),
                                        db_integer(page->limit + 1), db_text(type), db_id(user_id));
    enum status status = run(finder, user, STATUS_USER_NOT_FOUND);
    if (status == STATUS_OK)
        read_page(finder, rows, page, read_blog);
    return status;
}

enum status finding_diary(const struct finder *finder, const struct days *days,
                          const struct finding_page *page)
{
    const struct finding_position *after = &page->after;
    /* Before all albums and blogs of the last day. */
    int64_t subject = after->date.year > 0 ? after->subject : SUBJECT_BLOG;
    const struct db_rows *user = user_exists_add(finder->batch, finder->user_id);
    const struct db_rows *rows =
        DB_ADD(finder->batch, SQL_FINDING_DIARY, day_or(finder->arena, after->date, "infinity"),
               READER_VALUES(finder), db_integer(subject), db_integer(after->id),
               db_integer(after->age), db_integer(page->limit + 1), db_id(finder->user_id),
               day_or(finder->arena, days->first, "-infinity"),
               day_or(finder->arena, days->last, "infinity"));
    enum status status = run(finder, user, STATUS_USER_NOT_FOUND);
    if (status == STATUS_OK)
        read_page(finder, rows, page, read_day);
    return status;
}

/* On a map ------------------------------------------------------------------------------------- */

static struct cluster read_cluster(struct db_row row)
{
    struct cluster cluster = {0};
    for (size_t i = 0; i < LISTED_COLUMNS; i++)
        db_skip_column(&row);
    for (size_t kind = 0; kind < SUBJECT_COUNT; kind++) {
        cluster.counts[kind] = db_read_integer(&row);
        cluster.count += cluster.counts[kind];
    }
    cluster.west = db_read_text(&row);
    cluster.south = db_read_text(&row);
    cluster.east = db_read_text(&row);
    cluster.north = db_read_text(&row);
    cluster.place.lat = db_read_text(&row);
    cluster.place.lng = db_read_text(&row);
    return cluster;
}

/* The clusters come last, and have no piece. */
static void read_map(const struct finder *finder, const struct db_rows *rows)
{
    size_t count = db_rows_count(rows), pieces = 0, clusters = 0;
    struct listed_piece *list = arena_take_array(finder->arena, count, sizeof *list);
    struct cluster *further = arena_take_array(finder->arena, count, sizeof *further);
    for (size_t i = 0; i < count; i++) {
        struct db_row row = db_row(rows, i);
        if (db_next_is_null(&row))
            further[clusters++] = read_cluster(row);
        else
            list[pieces++] = read_piece(&row);
    }
    finder->found->pieces = (struct listed_pieces){list, pieces};
    finder->found->clusters = (struct clusters){further, clusters};
}

/* From this level on so many pieces are shown one by one, where there are no more. */
enum { NEAR = 17 };

bool finding_is_street(const struct map_box *box)
{
    static const double wide = 0.1;
    double across = strtod(box->east, NULL) - strtod(box->west, NULL);
    double high = strtod(box->north, NULL) - strtod(box->south, NULL);
    return box->zoom_level >= NEAR && (across < 0 ? across + 360 : across) <= wide && high <= wide;
}

#define BOX_VALUES(finder, box)                                                               \
    db_text((box)->west), READER_VALUES(finder), db_text((box)->south), db_text((box)->east), \
        db_text((box)->north), db_integer((box)->slots.first), db_integer((box)->slots.last)

enum status finding_on_street(const struct finder *finder, const struct map_box *box,
                              bool *is_too_much)
{
    const struct db_rows *rows =
        DB_ADD(finder->batch, SQL_FINDING_ON_STREET, BOX_VALUES(finder, box));
    enum status status = run(finder, NULL, STATUS_OK);
    *is_too_much = status == STATUS_OK && db_rows_count(rows) > STREET_MOST;
    if (status == STATUS_OK && !*is_too_much)
        read_map(finder, rows);
    return status;
}

enum status finding_on_map(const struct finder *finder, const struct map_box *box)
{
    const struct db_rows *rows =
        DB_ADD(finder->batch, SQL_FINDING_ON_MAP, BOX_VALUES(finder, box),
               db_integer(box->zoom_level), db_integer(box->zoom_level >= NEAR ? STREET_MOST : 0));
    enum status status = run(finder, NULL, STATUS_OK);
    if (status == STATUS_OK)
        read_map(finder, rows);
    return status;
}

static enum status take_day(void *context, struct db_row *row)
{
    *(struct date *)context = db_read_date(row);
    return STATUS_OK;
}

enum status finding_today(struct db_batch *batch, struct date *today)
{
    const struct db_rows *rows = db_batch_add(batch, SQL_FINDING_TODAY, NULL, 0);
    return store_run_row(batch, rows, STATUS_INTERNAL, take_day, today);
}

/* Where a map begins --------------------------------------------------------------------------- */

enum status finding_start(struct db_batch *batch, struct arena *arena, struct box *start)
{
    const struct db_rows *rows = db_batch_add(batch, SQL_FINDING_NEWEST, NULL, 0);
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    size_t count = db_rows_count(rows);
    struct spot *spots = arena_take_array(arena, count, sizeof *spots);
    for (size_t i = 0; i < count; i++) {
        struct db_row row = db_row(rows, i);
        spots[i].lat = strtod(db_read_text(&row), NULL);
        spots[i].lng = strtod(db_read_text(&row), NULL);
    }
    *start = box_of_most(spots, count);
    return STATUS_OK;
}
