#include "store/vote.h"

#include "store/piece.h"
#include "store/shown.h"
#include "store/statements.h"

#define BLOG(id) ((struct piece_name){SUBJECT_BLOG, (id)})

const struct db_rows *vote_add(struct db_batch *batch, int64_t blog_id,
                               const struct session_claim *reader)
{
    return shown_add(batch, SQL_VOTE_READ, blog_id, reader);
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
    return DB_ADD(batch, SQL_VOTE_SHOW, db_integer(blog_id));
}

const struct db_rows *vote_show_choices_add(struct db_batch *batch, int64_t blog_id)
{
    return DB_ADD(batch, SQL_VOTE_SHOW_CHOICES, db_integer(blog_id));
}

enum status vote_create(struct db_batch *batch, int64_t asker, int64_t blog_id,
                        const char *description, const char *choices)
{
    const struct db_rows *held = piece_hold_add(batch, BLOG(blog_id), asker);
    const struct db_rows *made = DB_ADD(batch, SQL_VOTE_CREATE, db_integer(blog_id), db_id(asker),
                                        db_text(description), db_text(choices));
    enum status status = db_batch_run(batch);
    if (status == STATUS_OK)
        status = piece_ownership(held, asker, STATUS_BLOG_NOT_FOUND);
    if (status == STATUS_OK && db_rows_count(made) == 0)
        status = STATUS_CONFLICT;
    return status;
}

static enum status came_of_cast(const struct db_rows *seen, const struct db_rows *locked,
                                const struct db_rows *ballot)
{
    if (db_rows_count(seen) == 0)
        return STATUS_BLOG_NOT_FOUND;
    if (db_rows_count(locked) == 0)
        return STATUS_VOTE_NOT_FOUND;
    struct db_row closed = db_row(locked, 0);
    if (db_read_boolean(&closed))
        return STATUS_VOTE_CLOSED;
    if (db_rows_count(ballot) == 0)
        return STATUS_NOT_FOUND;
    struct db_row same = db_row(ballot, 0);
    return db_read_boolean(&same) ? STATUS_OK : STATUS_ALREADY_VOTED;
}

static const struct db_rows *tally_add(struct db_batch *batch, int64_t blog_id, int64_t user_id)
{
    return DB_ADD(batch, SQL_VOTE_TALLY, db_integer(blog_id), db_integer(user_id));
}

/* The blog first, as with all that is done to a piece. */
enum status vote_cast(struct db_batch *batch, struct arena *arena, int64_t user_id, int64_t blog_id,
                      int64_t choice, struct vote *vote)
{
    struct db_value values[] = {db_integer(blog_id), db_integer(user_id), db_integer(choice)};
    const struct db_rows *seen = piece_keep_add(batch, BLOG(blog_id), user_id);
    const struct db_rows *locked = db_batch_add(batch, SQL_VOTE_LOCK, values, 2);
    db_batch_add(batch, SQL_VOTE_CAST, values, 3);
    const struct db_rows *ballot = db_batch_add(batch, SQL_VOTE_BALLOT, values, 3);
    const struct db_rows *tally = vote != NULL ? tally_add(batch, blog_id, user_id) : NULL;
    enum status status = db_batch_run(batch);
    if (status == STATUS_OK)
        status = came_of_cast(seen, locked, ballot);
    if (status == STATUS_OK && vote != NULL)
        *vote = vote_read(tally, arena);
    return status;
}

enum status vote_close(struct db_batch *batch, struct arena *arena, int64_t asker, int64_t blog_id,
                       struct vote *vote)
{
    const struct db_rows *held = piece_hold_add(batch, BLOG(blog_id), asker);
    const struct db_rows *closed = DB_ADD(batch, SQL_VOTE_CLOSE, db_integer(blog_id), db_id(asker));
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
