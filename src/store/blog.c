#include "store/blog.h"

#include "store/addresses.h"
#include "store/comment.h"
#include "store/registry.h"
#include "store/run.h"
#include "store/shown.h"
#include "store/user.h"
#include "store/vote.h"

enum { INSERT, UPDATE, DELETE, READ, SHOW, LIST, EDIT, REMOVE };

/* $1 is the author and $9 the blog that is replied to, in both statements. That is kept until the
 * reply is written. */
#define QUOTED_IS_THERE "$9::bigint IS NULL OR keep_blog($9, $1) IS NOT NULL"

const struct db_statement blog_statements[] = {
    [INSERT] =
        {"blog_insert",
         "WITH posted AS (INSERT INTO own_blog (author_id, type, lat, lng, title,"
         " content, post_date, weather, reply_blog_id, zoom_level, map_type, user_category,"
         " visibility) SELECT $1::bigint, $2::blog_type, $3::numeric, $4::numeric, $5::text, $6::text,"
         " $7::date, $8::weather, $9::bigint, $10::smallint, $11::smallint, $12::text,"
         " coalesce($13::visibility, 'public')"
         " WHERE " QUOTED_IS_THERE " RETURNING blog_id),"
         " credited AS (INSERT INTO ledger (user_id, blog_id, amount, credited_on)"
         " SELECT $1, blog_id, $14::integer, current_date FROM posted WHERE $14 > 0 AND"
         " (SELECT count(*) FROM ledger WHERE user_id = $1 AND credited_on = current_date)"
         " < $15::bigint RETURNING amount)"
         " SELECT blog_id, coalesce((SELECT amount FROM credited), 0) FROM posted",
         "li", true, DB_SERVICE},
    [UPDATE] = {"blog_update",
                "UPDATE own_blog SET type = $2, lat = $3, lng = $4, title = $5,"
                " content = $6, post_date = $7, weather = $8, reply_blog_id = $9,"
                " zoom_level = $10, map_type = $11, user_category = $12,"
                " visibility = coalesce($13::visibility, visibility)"
                " WHERE blog_id = $14 AND author_id = $1 AND (" QUOTED_IS_THERE
                " OR $9 = (SELECT reply_blog_id FROM visible_blog($1) WHERE blog_id = $14))"
                " RETURNING true",
                "b", true, DB_SERVICE},
    [DELETE] = {"blog_delete", "DELETE FROM own_blog WHERE blog_id = $1 AND author_id = $2", "",
                true, DB_SERVICE},
    [READ] = {"blog_read",
              "SELECT u.name, " ICON_ADDRESS(
                  "u") ", b.score, b.type, b.lat::text, b.lng::text, b.title,"
                       " b.content, b.post_date, b.weather, q.blog_id, b.zoom_level, b.map_type,"
                       " b.user_category FROM " SHOWN(
                           "blog", "b") " JOIN user_account u ON u.user_id = b.author_id"
                                        " LEFT JOIN visible_blog(reader.id) q"
                                        " ON q.blog_id = b.reply_blog_id WHERE b.blog_id = $1",
              "ttitttttdtlsst", false, DB_SERVICE},
    [SHOW] = {"blog_show",
              "SELECT b.blog_id, u.user_id, u.name, b.type, b.lat::text, b.lng::text, b.title,"
              " b.content, b.post_date, b.weather, b.reply_blog_id, b.zoom_level, b.map_type,"
              " b.user_category, b.score, b.created_at, b.visibility, b.hidden"
              " FROM blog b JOIN user_account u ON u.user_id = b.author_id WHERE b.blog_id = $1",
              "llttttttdtlsstiztt", false, DB_ADMIN},
    [LIST] = {"blog_list",
              "SELECT b.blog_id, b.author_id, b.type, b.post_date, b.title, b.score, b.visibility"
              " FROM blog b WHERE ($1::bigint IS NULL OR b.author_id = $1)"
              " AND b.blog_id > $2::bigint ORDER BY b.blog_id LIMIT $3::bigint",
              "lltdtit", false, DB_ADMIN},
    [EDIT] = {"blog_edit",
              "UPDATE blog SET type = coalesce($2, type), lat = coalesce($3, lat),"
              " lng = coalesce($4, lng), title = coalesce($5, title),"
              " content = coalesce($6, content), post_date = coalesce($7, post_date),"
              " weather = coalesce($8, weather),"
              " reply_blog_id = nullif(coalesce($9::bigint, reply_blog_id), 0),"
              " zoom_level = coalesce($10, zoom_level), map_type = coalesce($11, map_type),"
              " user_category = nullif(coalesce($12, user_category), ''),"
              " visibility = coalesce($13, visibility) WHERE blog_id = $1"
              " AND (coalesce($9, 0) = 0 OR $9 <> $1 AND EXISTS"
              " (SELECT FROM blog q WHERE q.blog_id = $9)) RETURNING blog_id",
              "l", true, DB_ADMIN},
    [REMOVE] = {"blog_remove", "DELETE FROM blog WHERE blog_id = $1 RETURNING blog_id", "l", true,
                DB_ADMIN},
    DB_STATEMENTS_END,
};

/* The parameters $2 to $13 of both statements. */
#define FIELD_VALUES(fields, date)                                                       \
    db_text((fields)->type), db_text((fields)->place.lat), db_text((fields)->place.lng), \
        db_text((fields)->title), db_text((fields)->content),                            \
        db_text(date_text((fields)->date, (date))), db_text((fields)->weather),          \
        db_id((fields)->reply_blog_id), db_integer((fields)->zoom_level),                \
        db_integer((fields)->map_type), db_text((fields)->user_category),                \
        db_text((fields)->visibility)

/* The author is locked first: the blogs of a day are counted by one transaction at a time. */
enum status blog_insert(struct db_batch *batch, int64_t author, const struct blog_fields *fields,
                        const struct reward_rule *rule, struct blog_posted *blog)
{
    char date[DATE_TEXT_SIZE];
    user_lock_add(batch, author);
    const struct db_rows *posted =
        DB_ADD(batch, &blog_statements[INSERT], db_integer(author), FIELD_VALUES(fields, date),
               db_integer(rule->per_blog), db_integer(rule->daily_limit));
    enum status status = store_run(batch, posted, STATUS_BLOG_NOT_FOUND);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(posted, 0);
    blog->blog_id = db_read_integer(&row);
    blog->reward = db_read_integer(&row);
    return STATUS_OK;
}

static const struct db_rows *hold_add(struct db_batch *batch, int64_t blog_id, int64_t asker)
{
    return piece_hold_add(batch, (struct piece_name){SUBJECT_BLOG, blog_id}, asker);
}

enum status blog_update(struct db_batch *batch, int64_t asker, const struct blog_fields *fields)
{
    char date[DATE_TEXT_SIZE];
    const struct db_rows *held = hold_add(batch, fields->blog_id, asker);
    const struct db_rows *updated = DB_ADD(batch, &blog_statements[UPDATE], db_integer(asker),
                                           FIELD_VALUES(fields, date), db_integer(fields->blog_id));
    enum status status = db_batch_run(batch);
    if (status == STATUS_OK)
        status = piece_ownership(held, asker, STATUS_BLOG_NOT_FOUND);
    /* Its own, and yet not updated: the blog that it replies to is not there. */
    if (status == STATUS_OK && db_rows_count(updated) == 0)
        status = STATUS_BLOG_NOT_FOUND;
    return status;
}

enum status blog_delete(struct db_batch *batch, int64_t asker, int64_t blog_id)
{
    const struct db_rows *held = hold_add(batch, blog_id, asker);
    DB_ADD(batch, &blog_statements[DELETE], db_integer(blog_id), db_integer(asker));
    enum status status = db_batch_run(batch);
    return status != STATUS_OK ? status : piece_ownership(held, asker, STATUS_BLOG_NOT_FOUND);
}

static void read_fields(struct db_row row, struct blog *blog)
{
    struct blog_fields *fields = &blog->fields;
    blog->author_name = db_read_text(&row);
    blog->author_icon = db_read_text(&row);
    blog->score = db_read_integer(&row);
    fields->type = db_read_text(&row);
    fields->place.lat = db_read_text(&row);
    fields->place.lng = db_read_text(&row);
    fields->title = db_read_text(&row);
    fields->content = db_read_text(&row);
    fields->date = db_read_date(&row);
    fields->weather = db_read_text(&row);
    fields->reply_blog_id = db_read_integer(&row);
    fields->zoom_level = db_read_integer(&row);
    fields->map_type = db_read_integer(&row);
    fields->user_category = db_read_text(&row);
}

struct reading {
    const struct db_rows *blogs, *votes;
    struct arena *arena;
    struct blog *blog;
};

static void read_blog(void *context)
{
    struct reading *reading = context;
    read_fields(db_row(reading->blogs, 0), reading->blog);
    reading->blog->vote = vote_read(reading->votes, reading->arena);
}

enum status blog_read(struct db_batch *batch, struct arena *arena, int64_t blog_id,
                      const struct session_claim *reader, struct blog *blog,
                      struct entry_sink *comments)
{
    struct reading reading = {.arena = arena, .blog = blog};
    reading.blogs = shown_add(batch, &blog_statements[READ], blog_id, reader);
    reading.votes = vote_add(batch, blog_id, reader);
    struct comment_stream stream = {read_blog, &reading, comments, false};
    comments_stream(batch, (struct piece_name){SUBJECT_BLOG, blog_id}, reader, &stream);
    enum status status = store_run(batch, reading.blogs, STATUS_BLOG_NOT_FOUND);
    if (status == STATUS_OK)
        comments_begin(&stream);
    return status;
}

enum status blog_show(struct db_batch *batch, int64_t blog_id, struct piece_rows *rows)
{
    *rows = (struct piece_rows){
        .piece = DB_ADD(batch, &blog_statements[SHOW], db_integer(blog_id)),
        .vote = vote_show_add(batch, blog_id),
        .choices = vote_show_choices_add(batch, blog_id),
        .comments = comments_show_add(batch, SUBJECT_BLOG, blog_id),
    };
    return store_run(batch, rows->piece, STATUS_BLOG_NOT_FOUND);
}

enum status blog_list(struct db_batch *batch, int64_t user_id, const struct list_part *part,
                      db_row_function *function, void *context)
{
    DB_STREAM(batch, &blog_statements[LIST], function, context, db_id(user_id),
              db_integer(part->after), db_id(part->most));
    return db_batch_run(batch);
}

enum status blog_edit(struct db_batch *batch, int64_t blog_id, const struct blog_change *change)
{
    const struct db_rows *rows = DB_ADD(
        batch, &blog_statements[EDIT], db_integer(blog_id), db_text(change->type),
        db_text(change->place.lat), db_text(change->place.lng), db_text(change->title),
        db_text(change->content), db_text(change->date), db_text(change->weather),
        db_text(change->reply_blog_id), db_text(change->zoom_level), db_text(change->map_type),
        db_text(change->user_category), db_text(change->visibility));
    return store_run(batch, rows, STATUS_BLOG_NOT_FOUND);
}

enum status blog_remove(struct db_batch *batch, int64_t blog_id)
{
    return store_run(batch, DB_ADD(batch, &blog_statements[REMOVE], db_integer(blog_id)),
                     STATUS_BLOG_NOT_FOUND);
}
