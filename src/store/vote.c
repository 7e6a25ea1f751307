#include "store/vote.h"

#include "store/registry.h"
#include "store/run.h"
#include "store/shown.h"

enum { READ, SHOW, SHOW_CHOICES, CREATE, CHOICES, LOCK, CAST, CLOSE };

const struct db_statement vote_statements[] = {
    [READ] = {"vote_read",
              "SELECT v.description, c.description, c.votes FROM vote v"
              " LEFT JOIN vote_choice c USING (blog_id)"
              " WHERE v.blog_id" SHOWN_OF_BLOG " ORDER BY c.position",
              "tti", false, DB_SERVICE},
    [SHOW] = {"vote_show", "SELECT description, closed_at FROM vote WHERE blog_id = $1", "tz",
              false, DB_ADMIN},
    [SHOW_CHOICES] = {"vote_show_choices",
                      "SELECT position, description, votes FROM vote_choice"
                      " WHERE blog_id = $1 ORDER BY position",
                      "sti", false, DB_ADMIN},
    [CREATE] = {"vote_create",
                "INSERT INTO vote (blog_id, description) SELECT blog_id, $2 FROM blog"
                " WHERE blog_id = $1 RETURNING true",
                "b", true, DB_ADMIN},
    [CHOICES] = {"vote_choices",
                 "INSERT INTO vote_choice (blog_id, position, description)"
                 " SELECT v.blog_id, c.position, c.description FROM vote v,"
                 " string_to_table($2, E'\\n') WITH ORDINALITY AS c (description, position)"
                 " WHERE v.blog_id = $1",
                 "", true, DB_ADMIN},
    /* Nobody closes the vote meanwhile. */
    [LOCK] = {"vote_lock", "SELECT closed_at IS NOT NULL FROM vote WHERE blog_id = $1 FOR SHARE",
              "b", true, DB_ADMIN},
    [CAST] = {"vote_cast",
              "WITH new AS (INSERT INTO ballot (blog_id, user_id, position)"
              "  SELECT c.blog_id, $2, c.position FROM vote_choice c JOIN vote v USING (blog_id)"
              "  WHERE c.blog_id = $1 AND c.position = $3 AND v.closed_at IS NULL"
              "  RETURNING blog_id, position)"
              " UPDATE vote_choice c SET votes = votes + 1 FROM new"
              " WHERE c.blog_id = new.blog_id AND c.position = new.position RETURNING true",
              "b", true, DB_ADMIN},
    [CLOSE] = {"vote_close",
               "UPDATE vote SET closed_at = coalesce(closed_at, now()) WHERE blog_id = $1"
               " RETURNING true",
               "b", true, DB_ADMIN},
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

enum status vote_create(struct db_batch *batch, int64_t blog_id, const char *description,
                        const char *choices)
{
    const struct db_rows *rows =
        DB_ADD(batch, &vote_statements[CREATE], db_integer(blog_id), db_text(description));
    DB_ADD(batch, &vote_statements[CHOICES], db_integer(blog_id), db_text(choices));
    return store_run(batch, rows, STATUS_BLOG_NOT_FOUND);
}

enum status vote_cast(struct db_batch *batch, int64_t blog_id, int64_t user_id, int64_t choice)
{
    const struct db_rows *locked = DB_ADD(batch, &vote_statements[LOCK], db_integer(blog_id));
    const struct db_rows *cast = DB_ADD(batch, &vote_statements[CAST], db_integer(blog_id),
                                        db_integer(user_id), db_integer(choice));
    enum status status = store_run(batch, locked, STATUS_NOT_FOUND);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(locked, 0);
    if (db_read_boolean(&row))
        return STATUS_CLOSED;
    return db_rows_count(cast) == 0 ? STATUS_NOT_FOUND : STATUS_OK;
}

enum status vote_close(struct db_batch *batch, int64_t blog_id)
{
    return store_run(batch, DB_ADD(batch, &vote_statements[CLOSE], db_integer(blog_id)),
                     STATUS_NOT_FOUND);
}
