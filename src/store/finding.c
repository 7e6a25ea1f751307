#include "store/finding.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/addresses.h"
#include "store/registry.h"
#include "store/run.h"
#include "store/shown.h"
#include "store/user.h"

enum {
    NEARBY,
    ON_MAP,
    ON_STREET,
    BY_WORDS,
    BLOGS,
    BLOGS_OF_TYPE,
    BLOGS_OF_USER,
    BLOGS_OF_BOTH,
    SITE
};

/* A piece with its owner, as read_piece() reads it. */
#define LISTED                                                                               \
    "l.kind, l.id, l.title, l.slot_name, l.lat::text, l.lng::text, l.thumbnail, l.owner_id," \
    " u.name, " ICON_ADDRESS("u") ", l.dated, l.score, l.changed_at, l.dated::timestamptz"
#define LISTED_TYPES "iltttttlttdizz"
/* A row of its own: what it is would else stand for it within visible_blog() and the like, which
 * PostgreSQL does not inline then. */
#define READER_IS "(SELECT " READER " AS id OFFSET 0) reader"
/* Looked up for each piece, however many PostgreSQL expects. */
#define OWNER "(SELECT * FROM user_account WHERE user_id = l.owner_id OFFSET 0)"
/* So many pieces a view of the map has at most, as an answer has places and clusters. */
#define STREET_MOST 500
#define TEXT_OF(macro) TEXT_AS_IT_IS(macro)
#define TEXT_AS_IT_IS(text) #text
/* What it is made of, of some kind and identifier. */
#define PIECE(kind, id) \
    " CROSS JOIN LATERAL listed_piece(reader.id, " kind ", " id ") l CROSS JOIN LATERAL " OWNER " u"

/* The latest days first; those to come are their author's alone, and looked up by that. */
#define BLOGS_UNTIL(when, filter)                                                                 \
    "(SELECT b.post_date, b.blog_id FROM visible_blog(reader.id) b WHERE " when filter            \
    " AND (b.post_date, b.blog_id) < ($1::date, $4::bigint) ORDER BY b.post_date DESC, b.blog_id" \
    " DESC LIMIT $5::bigint)"
#define BLOGS_BY(filter, types)                                                                                                                  \
    "SELECT " LISTED " FROM " READER_IS                                                                                                          \
    ", LATERAL (SELECT * FROM (" BLOGS_UNTIL("b.post_date <= current_date", filter) " UNION ALL " BLOGS_UNTIL(                                   \
        "b.post_date > current_date AND b.author_id = reader.id",                                                                                \
        filter) ") t ORDER BY post_date DESC, blog_id DESC LIMIT $5::bigint) n" PIECE("2",                                                       \
                                                                                      "n.blog_id") " ORDER BY n.post_date DESC, n.blog_id DESC", \
        types, false, DB_SERVICE
#define OF_TYPE " AND b.type = $6::blog_type"
#define OF_USER " AND b.author_id = $7::bigint"
#define ANY_TYPE " AND $6::text IS NULL"
#define ANY_USER " AND $7::bigint IS NULL"

const struct db_statement finding_statements[] = {
    [NEARBY] = {"finding_nearby",
                "SELECT " LISTED ", l.distance::text FROM " READER_IS ", nearest_pieces(reader.id,"
                " $1::float8, $4::float8, $5::bigint, $6::integer, $7::integer, $8::float8,"
                " $9::integer, $10::bigint, $11::bigint, $12::integer) l CROSS JOIN LATERAL " OWNER
                " u ORDER BY l.distance, l.kind, l.id",
                LISTED_TYPES "t", false, DB_SERVICE},
    [ON_MAP] =
        {"finding_on_map",
         "SELECT " LISTED ", v.pieces, trim_scale(v.west::numeric)::text,"
         " trim_scale(v.south::numeric)::text, trim_scale(v.east::numeric)::text,"
         " trim_scale(v.north::numeric)::text, trim_scale(v.lat::numeric)::text,"
         " trim_scale(v.lng::numeric)::text FROM " READER_IS ", map_view(reader.id,"
         " $1::float8, $4::float8, $5::float8, $6::float8, $9::integer, $7::integer,"
         " $8::integer, $10::integer) v LEFT JOIN LATERAL listed_piece(reader.id, v.kind, v.id) l"
         " ON true"
         " LEFT JOIN LATERAL " OWNER " u ON true"
         " WHERE v.kind IS NULL OR l.kind IS NOT NULL"
         " ORDER BY v.kind, v.id, v.south, v.west",
         LISTED_TYPES "ltttttt", false, DB_SERVICE},
    [ON_STREET] =
        {"finding_on_street",
         "SELECT * FROM (SELECT " LISTED " FROM " READER_IS ", pieces_on_map(reader.id,"
         " $1::numeric, $4::numeric, $5::numeric, $6::numeric, $7::integer, $8::integer) l"
         " CROSS JOIN LATERAL " OWNER " u LIMIT " TEXT_OF(STREET_MOST) " + 1) s ORDER BY kind, id",
         LISTED_TYPES, false, DB_SERVICE},
    [BY_WORDS] = {"finding_by_words",
                  "SELECT " LISTED ", n.far::text, n.class, $8::text IS NOT NULL FROM " READER_IS
                  ", found_pieces(reader.id, $1, $6::integer, $7::integer, $8::float8, $9::float8,"
                  " $4::integer, $10::float8, $11::integer, $12::bigint,"
                  " $5::integer) n" PIECE("n.kind", "n.id") " ORDER BY n.class, n.far, n.kind,"
                                                            " n.id",
                  LISTED_TYPES "tib", false, DB_SERVICE},
    [BLOGS] = {"finding_blogs", BLOGS_BY(ANY_TYPE ANY_USER, LISTED_TYPES)},
    [BLOGS_OF_TYPE] = {"finding_blogs_of_type", BLOGS_BY(OF_TYPE ANY_USER, LISTED_TYPES)},
    [BLOGS_OF_USER] = {"finding_blogs_of_user", BLOGS_BY(ANY_TYPE OF_USER, LISTED_TYPES)},
    [BLOGS_OF_BOTH] = {"finding_blogs_of_both", BLOGS_BY(OF_TYPE OF_USER, LISTED_TYPES)},
    [SITE] = {"finding_site", "SELECT site_id::text FROM service", "t", false, DB_SERVICE},
    DB_STATEMENTS_END,
};

const struct finding_position finding_first = {.class = -1, .far = -INFINITY};
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
    read_slot(&piece, db_read_text(row));
    piece.place.lat = db_read_text(row);
    piece.place.lng = db_read_text(row);
    piece.thumbnail = db_read_text(row);
    piece.owner_id = db_read_integer(row);
    piece.owner_name = db_read_text(row);
    piece.owner_icon = db_read_text(row);
    *(is_blog ? &piece.posted : &piece.updated) = db_read_date(row);
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
        finder->wants_site ? db_batch_add(finder->batch, &finding_statements[SITE], NULL, 0) : NULL;
    enum status status =
        must_be != NULL ? store_run(finder->batch, must_be, absent) : db_batch_run(finder->batch);
    if (status == STATUS_OK && site != NULL) {
        struct db_row row = db_row(site, 0);
        finder->found->site = db_read_text(&row);
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

#define READER_VALUES(finder) shown_user((finder)->reader), shown_token((finder)->reader)

enum status finding_nearby(const struct finder *finder, const struct nearby *nearby,
                           const struct finding_page *page)
{
    const struct db_rows *rows = DB_ADD(
        finder->batch, &finding_statements[NEARBY], db_text(nearby->place.lat),
        READER_VALUES(finder), db_text(nearby->place.lng), db_integer(nearby->radius),
        db_integer(nearby->slots.first), db_integer(nearby->slots.last),
        real(finder->arena, page->after.far), db_integer(page->after.subject),
        db_integer(page->after.id), db_integer(page->after.before), db_integer(page->limit + 1));
    return run_page(finder, rows, page, read_near);
}

enum status finding_by_words(const struct finder *finder, const struct words *words,
                             const struct finding_page *page)
{
    const struct db_rows *rows =
        DB_ADD(finder->batch, &finding_statements[BY_WORDS], db_text(words->text),
               READER_VALUES(finder), db_integer(page->after.class), db_integer(page->limit + 1),
               db_integer(words->first), db_integer(words->last), db_text(words->place.lat),
               db_text(words->place.lng), real(finder->arena, page->after.far),
               db_integer(page->after.subject), db_integer(page->after.id));
    return run_page(finder, rows, page, read_match);
}

enum status finding_blogs(const struct finder *finder, int64_t user_id, const char *type,
                          const struct finding_page *page)
{
    static const int statements[2][2] = {{BLOGS, BLOGS_OF_TYPE}, {BLOGS_OF_USER, BLOGS_OF_BOTH}};
    char date[DATE_TEXT_SIZE] = "infinity";
    if (page->after.date.year > 0)
        date_text(page->after.date, date);
    const struct db_rows *user = user_id != 0 ? user_exists_add(finder->batch, user_id) : NULL;
    const struct db_rows *rows =
        DB_ADD(finder->batch, &finding_statements[statements[user_id != 0][type != NULL]],
               db_text(date), READER_VALUES(finder), db_integer(page->after.id),
               db_integer(page->limit + 1), db_text(type), db_id(user_id));
    enum status status = run(finder, user, STATUS_USER_NOT_FOUND);
    if (status == STATUS_OK)
        read_page(finder, rows, page, read_blog);
    return status;
}

/* On a map ------------------------------------------------------------------------------------- */

static struct cluster read_cluster(struct db_row row)
{
    struct cluster cluster = {0};
    for (size_t i = 0; i < sizeof LISTED_TYPES - 1; i++)
        db_skip_column(&row);
    cluster.count = db_read_integer(&row);
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
        DB_ADD(finder->batch, &finding_statements[ON_STREET], BOX_VALUES(finder, box));
    enum status status = run(finder, NULL, STATUS_OK);
    *is_too_much = status == STATUS_OK && db_rows_count(rows) > STREET_MOST;
    if (status == STATUS_OK && !*is_too_much)
        read_map(finder, rows);
    return status;
}

enum status finding_on_map(const struct finder *finder, const struct map_box *box)
{
    const struct db_rows *rows =
        DB_ADD(finder->batch, &finding_statements[ON_MAP], BOX_VALUES(finder, box),
               db_integer(box->zoom_level), db_integer(box->zoom_level >= NEAR ? STREET_MOST : 0));
    enum status status = run(finder, NULL, STATUS_OK);
    if (status == STATUS_OK)
        read_map(finder, rows);
    return status;
}
