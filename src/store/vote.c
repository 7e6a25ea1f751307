#include "store/vote.h"

#include "store/piece.h"
#include "store/registry.h"
#include "store/run.h"
#include "store/shown.h"

enum { READ, TALLY, SHOW, SHOW_CHOICES, CREATE, LOCK, CAST, VOICE, CLOSE };

#define BLOG(id) ((struct piece_name){SUBJECT_BLOG, (id)})

/* Of the votes v. */
#define CHOICES                                                \
    "SELECT v.description, c.description, c.votes FROM vote v" \
    " LEFT JOIN vote_choice c USING (blog_id) WHERE v.blog_id = $1 AND "
#define IS_SEEN "EXISTS (SELECT FROM visible_blog($2) b WHERE b.blog_id = $1)"

const struct db_statement vote_statements[] = {
    [READ] = {"vote_read", CHOICES IS_SHOWN("blog", "blog_id") " ORDER BY c.position", "tti", false,
              DB_SERVICE},
    [TALLY] = {"vote_tally", CHOICES IS_SEEN " ORDER BY c.position", "tti", false, DB_SERVICE},
    [SHOW] = {"vote_show", "SELECT description, closed_at FROM vote WHERE blog_id = $1", "tz",
              false, DB_ADMIN},
    [SHOW_CHOICES] = {"vote_show_choices",
                      "SELECT position, description, votes FROM vote_choice"
                      " WHERE blog_id = $1 ORDER BY position",
                      "sti", false, DB_ADMIN},
    [CREATE] =
        {"vote_create",
         "WITH made AS (INSERT INTO vote (blog_id, description) SELECT blog_id, $3 FROM own_blog"
         " WHERE blog_id = $1 AND ($2::bigint IS NULL OR author_id = $2)"
         " ON CONFLICT DO NOTHING RETURNING blog_id),"
         " filled AS (INSERT INTO vote_choice (blog_id, position, description)"
         " SELECT made.blog_id, c.position, c.description FROM made,"
         " string_to_table($4, E'\\n') WITH ORDINALITY AS c (description, position))"
         " SELECT true FROM made",
         "b", true, DB_ALL},
    /* Nobody closes the vote meanwhile. */
    [LOCK] = {"vote_lock",
              "SELECT closed_at IS NOT NULL FROM vote WHERE blog_id = $1 AND " IS_SEEN " FOR SHARE",
              "b", true, DB_ALL},
    [CAST] = {"vote_cast",
              "INSERT INTO ballot (blog_id, user_id, position)"
              " SELECT c.blog_id, $2, c.position FROM vote_choice c JOIN vote v USING (blog_id)"
              " WHERE c.blog_id = $1 AND c.position = $3 AND v.closed_at IS NULL AND " IS_SEEN
              " ON CONFLICT DO NOTHING",
              "", true, DB_ALL},
    [VOICE] = {"vote_voice",
               "SELECT b.position = c.position FROM vote_choice c LEFT JOIN ballot b"
               " ON b.blog_id = c.blog_id AND b.user_id = $2"
               " WHERE c.blog_id = $1 AND c.position = $3 AND " IS_SEEN,
               "b", false, DB_ALL},
    [CLOSE] = {"vote_close",
               "UPDATE vote v SET closed_at = coalesce(closed_at, now()) FROM own_blog b"
               " WHERE v.blog_id = $1 AND b.blog_id = $1"
               " AND ($2::bigint IS NULL OR b.author_id = $2) RETURNING true",
               "b", true, DB_ALL},
    DB_STATEMENTS_END,
};

const struct db_rows *vote_add(struct db_batch *batch, int64_t blog_id,
                               const struct session_claim *reader)
{
    return shown_add(batch, &vote_statements[READ], blog_id, reader);
}

/* A row for each choice; a vote without any has one row, of which only the first column is there.
 */
struct vote vote_read(const struct db_rows *rows, struct arena *arena)
{
    struct vote vote = {0};
    size_t count = db_rows_count(rows);
    vote.choices.list = arena_take_array(arena, count, sizeof *vote.choices.list);
    for (size_t i = 0; i < count; i++) {
        struct db_row row = db_row(rows, i);
        vote.description = db_read_text(&row);
        if (db_next_is_null(&row))
            break;
        struct vote_choice *choice = &vote.choices.list[vote.choices.count++];
        choice->description = db_read_text(&row);
        choice->votes = db_read_integer(&row);
    }
    return vote;
}

const struct db_rows *vote_show_add(struct db_batch *batch, int64_t blog_id)
{
    return DB_ADD(batch, &vote_statements[SHOW], db_integer(blog_id));
}

const struct db_rows *vote_show_choices_add(struct db_batch *batch, int64_t blog_id)
{
    return DB_ADD(batch, &vote_statements[SHOW_CHOICES], db_integer(blog_id));
}

enum status vote_create(struct db_batch *batch, int64_t asker, int64_t blog_id,
                        const char *description, const char *choices)
{
    const struct db_rows *held = piece_hold_add(batch, BLOG(blog_id), asker);
    const struct db_rows *made = DB_ADD(batch, &vote_statements[CREATE], db_integer(blog_id),
                                        db_id(asker), db_text(description), db_text(choices));
    enum status status = db_batch_run(batch);
    if (status == STATUS_OK)
        status = piece_ownership(held, asker, STATUS_BLOG_NOT_FOUND);
    if (status == STATUS_OK && db_rows_count(made) == 0)
        status = STATUS_CONFLICT;
    return status;
}

static enum status came_of_cast(const struct db_rows *seen, const struct db_rows *locked,
                                const struct db_rows *voice)
{
    if (db_rows_count(seen) == 0)
        return STATUS_BLOG_NOT_FOUND;
    if (db_rows_count(locked) == 0)
        return STATUS_VOTE_NOT_FOUND;
    struct db_row closed = db_row(locked, 0);
    if (db_read_boolean(&closed))
        return STATUS_VOTE_CLOSED;
    if (db_rows_count(voice) == 0)
        return STATUS_NOT_FOUND;
    struct db_row same = db_row(voice, 0);
    return db_read_boolean(&same) ? STATUS_OK : STATUS_ALREADY_VOTED;
}

static const struct db_rows *tally_add(struct db_batch *batch, int64_t blog_id, int64_t user_id)
{
    return DB_ADD(batch, &vote_statements[TALLY], db_integer(blog_id), db_integer(user_id));
}

/* The blog first, as with all that is done to a piece. */
enum status vote_cast(struct db_batch *batch, struct arena *arena, int64_t user_id, int64_t blog_id,
                      int64_t choice, struct vote *vote)
{
    struct db_value values[] = {db_integer(blog_id), db_integer(user_id), db_integer(choice)};
    const struct db_rows *seen = piece_keep_add(batch, BLOG(blog_id), user_id);
    const struct db_rows *locked = db_batch_add(batch, &vote_statements[LOCK], values, 2);
    db_batch_add(batch, &vote_statements[CAST], values, 3);
    const struct db_rows *voice = db_batch_add(batch, &vote_statements[VOICE], values, 3);
    const struct db_rows *tally = vote != NULL ? tally_add(batch, blog_id, user_id) : NULL;
    enum status status = db_batch_run(batch);
    if (status == STATUS_OK)
        status = came_of_cast(seen, locked, voice);
    if (status == STATUS_OK && vote != NULL)
        *vote = vote_read(tally, arena);
    return status;
}

enum status vote_close(struct db_batch *batch, struct arena *arena, int64_t asker, int64_t blog_id,
                       struct vote *vote)
{
    const struct db_rows *held = piece_hold_add(batch, BLOG(blog_id), asker);
    const struct db_rows *closed =
        DB_ADD(batch, &vote_statements[CLOSE], db_integer(blog_id), db_id(asker));
    const struct db_rows *tally = vote != NULL ? tally_add(batch, blog_id, asker) : NULL;
    enum status status = db_batch_run(batch);
    if (status == STATUS_OK)
        status = piece_ownership(held, asker, STATUS_BLOG_NOT_FOUND);
    if (status == STATUS_OK && db_rows_count(closed) == 0)
        status = STATUS_VOTE_NOT_FOUND;
    if (status == STATUS_OK && vote != NULL)
        *vote = vote_read(tally, arena);
    return status;
}
