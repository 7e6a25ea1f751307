#include "store/blog.h"

#include "store/comment.h"
#include "store/run.h"
#include "store/shown.h"
#include "store/statements.h"
#include "store/user.h"
#include "store/vote.h"

/* The parameters from the type to the visibility, of both statements. */
#define FIELD_VALUES(fields, date)                                                       \
    db_text((fields)->type), db_text((fields)->place.lat), db_text((fields)->place.lng), \
        db_text((fields)->title), db_text((fields)->content),                            \
        db_text(date_text((fields)->date, (date))), db_text((fields)->weather),          \
        db_id((fields)->reply_blog_id), db_integer((fields)->zoom_level),                \
        db_integer((fields)->map_type), db_text((fields)->user_category),                \
        db_text((fields)->visibility)
#define IS_PUBLISHED(fields) db_integer((fields)->publish != NULL)

/* The author is locked first: the blogs of a day are counted by one transaction at a time. */
enum status blog_insert(struct db_batch *batch, int64_t author, const struct blog_fields *fields,
                        const struct reward_rule *rule, struct blog_posted *blog)
{
    char date[DATE_TEXT_SIZE];
    user_lock_add(batch, author);
    const struct db_rows *posted =
        DB_ADD(batch, SQL_BLOG_INSERT, db_integer(author), FIELD_VALUES(fields, date),
               db_integer(rule->per_blog), db_integer(rule->daily_limit), IS_PUBLISHED(fields));
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
    const struct db_rows *updated =
        DB_ADD(batch, SQL_BLOG_UPDATE, db_integer(asker), FIELD_VALUES(fields, date),
               db_integer(fields->blog_id), db_id(fields->base_version), IS_PUBLISHED(fields));
    int64_t version = fields->base_version;
    enum status status = piece_run_held(batch, held, asker, STATUS_BLOG_NOT_FOUND, &version);
    /* Its own, and yet not updated: the blog that it replies to is not there. */
    if (status == STATUS_OK && db_rows_count(updated) == 0)
        status = STATUS_BLOG_NOT_FOUND;
    return status;
}

enum status blog_delete(struct db_batch *batch, int64_t asker, const struct blog_fields *fields)
{
    const struct db_rows *held = hold_add(batch, fields->blog_id, asker);
    DB_ADD(batch, SQL_BLOG_DELETE, db_integer(fields->blog_id), db_integer(asker),
           db_id(fields->base_version));
    int64_t version = fields->base_version;
    return piece_run_held(batch, held, asker, STATUS_BLOG_NOT_FOUND, &version);
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
    reading.blogs = shown_add(batch, SQL_BLOG_READ, blog_id, reader);
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
        .piece = DB_ADD(batch, SQL_BLOG_SHOW, db_integer(blog_id)),
        .vote = vote_show_add(batch, blog_id),
        .choices = vote_show_choices_add(batch, blog_id),
        .comments = comments_show_add(batch, SUBJECT_BLOG, blog_id),
    };
    return store_run(batch, rows->piece, STATUS_BLOG_NOT_FOUND);
}

enum status blog_list(struct db_batch *batch, int64_t user_id, const struct list_part *part,
                      db_row_function *function, void *context)
{
    DB_STREAM(batch, SQL_BLOG_LIST, function, context, db_id(user_id), db_integer(part->after),
              db_id(part->most));
    return db_batch_run(batch);
}

enum status blog_edit(struct db_batch *batch, int64_t blog_id, struct blog_change *change)
{
    const struct db_rows *held = hold_add(batch, blog_id, 0);
    const struct db_rows *rows = DB_ADD(
        batch, SQL_BLOG_EDIT, db_integer(blog_id), db_text(change->type),
        db_text(change->place.lat), db_text(change->place.lng), db_text(change->title),
        db_text(change->content), db_text(change->date), db_text(change->weather),
        db_text(change->reply_blog_id), db_text(change->zoom_level), db_text(change->map_type),
        db_text(change->user_category), db_text(change->visibility), db_id(change->base_version));
    enum status status =
        piece_run_held(batch, held, 0, STATUS_BLOG_NOT_FOUND, &change->base_version);
    return status == STATUS_OK && db_rows_count(rows) == 0 ? STATUS_BLOG_NOT_FOUND : status;
}

enum status blog_remove(struct db_batch *batch, int64_t blog_id)
{
    return store_run(batch, DB_ADD(batch, SQL_BLOG_REMOVE, db_integer(blog_id)),
                     STATUS_BLOG_NOT_FOUND);
}
