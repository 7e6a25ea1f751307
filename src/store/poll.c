#include "store/poll.h"

#include "store/admin.h"

enum { CREATE, CHOICES, LOCK, CAST, CLOSE };

const struct db_statement poll_statements[] = {
    [CREATE] = {"poll_create",
                "INSERT INTO vote (blog_id, description) SELECT blog_id, $2 FROM blog"
                " WHERE blog_id = $1 RETURNING true",
                "b", true},
    [CHOICES] = {"poll_choices",
                 "INSERT INTO vote_choice (blog_id, position, description)"
                 " SELECT v.blog_id, c.position, c.description FROM vote v,"
                 " string_to_table($2, E'\\n') WITH ORDINALITY AS c (description, position)"
                 " WHERE v.blog_id = $1",
                 "", true},
    /* Nobody closes the vote meanwhile. */
    [LOCK] = {"poll_lock", "SELECT closed_at IS NOT NULL FROM vote WHERE blog_id = $1 FOR SHARE",
              "b", true},
    [CAST] = {"poll_cast",
              "WITH new AS (INSERT INTO ballot (blog_id, user_id, position)"
              "  SELECT c.blog_id, $2, c.position FROM vote_choice c JOIN vote v USING (blog_id)"
              "  WHERE c.blog_id = $1 AND c.position = $3 AND v.closed_at IS NULL"
              "  RETURNING blog_id, position)"
              " UPDATE vote_choice c SET votes = votes + 1 FROM new"
              " WHERE c.blog_id = new.blog_id AND c.position = new.position RETURNING true",
              "b", true},
    [CLOSE] = {"poll_close",
               "UPDATE vote SET closed_at = coalesce(closed_at, now()) WHERE blog_id = $1"
               " RETURNING true",
               "b", true},
    DB_STATEMENTS_END,
};

enum status poll_create(struct db_batch *batch, int64_t blog_id, const char *description,
                        const char *choices)
{
    const struct db_rows *rows =
        DB_ADD(batch, &poll_statements[CREATE], db_integer(blog_id), db_text(description));
    DB_ADD(batch, &poll_statements[CHOICES], db_integer(blog_id), db_text(choices));
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    return db_rows_count(rows) == 0 ? STATUS_BLOG_NOT_FOUND : STATUS_OK;
}

enum status poll_cast(struct db_batch *batch, int64_t blog_id, int64_t user_id, int64_t choice)
{
    const struct db_rows *locked = DB_ADD(batch, &poll_statements[LOCK], db_integer(blog_id));
    const struct db_rows *cast = DB_ADD(batch, &poll_statements[CAST], db_integer(blog_id),
                                        db_integer(user_id), db_integer(choice));
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    if (db_rows_count(locked) == 0)
        return STATUS_NOT_FOUND;
    struct db_row row = db_row(locked, 0);
    if (db_read_boolean(&row))
        return STATUS_CLOSED;
    return db_rows_count(cast) == 0 ? STATUS_NOT_FOUND : STATUS_OK;
}

enum status poll_close(struct db_batch *batch, int64_t blog_id)
{
    const struct db_rows *rows = DB_ADD(batch, &poll_statements[CLOSE], db_integer(blog_id));
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    return db_rows_count(rows) == 0 ? STATUS_NOT_FOUND : STATUS_OK;
}
