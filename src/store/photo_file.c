#include "store/photo_file.h"

#include "store/registry.h"

enum { MARK, FORGET, ASK_PUBLIC, LIST, WHOSE };

#define NAMED_BY(table, column) " NOT EXISTS (SELECT FROM " table " WHERE " column " = g.sha256)"
#define LISTED(ids, is_original, column, table)                                               \
    "SELECT " ids ", " is_original ", encode(" column ", 'hex') FROM " table " WHERE " column \
    " IS NOT NULL"

/* clang-format off */
const struct db_statement photo_file_statements[] = {
    /* What is marked here, nobody sees as marked yet. */
    [MARK] = {"photo_file_mark",
              "WITH given AS MATERIALIZED (SELECT decode(hex, 'hex') AS sha256, place"
              "   FROM unnest($1::text[]) WITH ORDINALITY AS g (hex, place)),"
              " unnamed AS MATERIALIZED (SELECT * FROM given g WHERE"
              NAMED_BY("photo", "original_sha256") " AND"
              NAMED_BY("photo", "large_sha256") " AND"
              NAMED_BY("photo", "small_sha256") " AND"
              NAMED_BY("user_account", "icon_sha256") "),"
              " named AS (DELETE FROM photo_unnamed WHERE sha256 IN"
              "   (SELECT sha256 FROM given EXCEPT SELECT sha256 FROM unnamed)),"
              " marked AS (INSERT INTO photo_unnamed (sha256) SELECT sha256 FROM unnamed"
              "   ON CONFLICT DO NOTHING)"
              " SELECT place, coalesce(since <= now() - make_interval(secs => $2::bigint), false)"
              "   FROM unnamed LEFT JOIN photo_unnamed USING (sha256) ORDER BY place",
              "lb", true, DB_ADMIN},
    [FORGET] = {"photo_file_forget",
                "DELETE FROM photo_unnamed WHERE sha256 IN"
                " (SELECT decode(hex, 'hex') FROM unnest($1::text[]) hex) RETURNING true",
                "b", true, DB_ADMIN},
    [ASK_PUBLIC] = {"photo_file_ask_public",
                    "SELECT place FROM (SELECT place, split_part(address, '/', 1) AS piece,"
                    "     decode(split_part(address, '/', 2), 'hex') AS name"
                    "   FROM unnest($1::text[]) WITH ORDINALITY AS g (address, place)) AS g"
                    " WHERE NOT EXISTS (SELECT FROM photo p LEFT JOIN visible_album(NULL) a USING (album_id)"
                    "     LEFT JOIN visible_poi(NULL) o USING (poi_id) WHERE p.hidden IS NULL AND p.name = g.name AND coalesce('a' || album_id, 'p' || poi_id) = piece"
                    "       AND num_nonnulls(a.owner_id, o.owner_id) = 1)"
                    "   AND NOT EXISTS (SELECT FROM user_account"
                    "     WHERE icon_name = g.name AND 'u' || user_id = piece) ORDER BY place",
                    "l", false, DB_ADMIN},
    [LIST] = {"photo_file_list",
              LISTED("photo_id, NULL::bigint", "true", "original_sha256", "photo") " UNION ALL "
              LISTED("photo_id, NULL", "false", "large_sha256", "photo") " UNION ALL "
              LISTED("photo_id, NULL", "false", "small_sha256", "photo") " UNION ALL "
              LISTED("NULL, user_id", "false", "icon_sha256", "user_account"),
              "llbt", false, DB_ADMIN},
    /* A dump has it, and no other database. */
    [WHOSE] = {"photo_file_whose",
               "SELECT to_char(min(applied_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')"
               " FROM migration",
               "t", false, DB_ADMIN},
    DB_STATEMENTS_END,
};
/* clang-format on */

enum status photo_file_mark(struct db_batch *batch, const char *digests, int64_t seconds,
                            const struct db_rows **rows)
{
    *rows = DB_ADD(batch, &photo_file_statements[MARK], db_text(digests), db_integer(seconds));
    return db_batch_run(batch);
}

enum status photo_file_forget(struct db_batch *batch, const char *digests)
{
    DB_ADD(batch, &photo_file_statements[FORGET], db_text(digests));
    return db_batch_run(batch);
}

enum status photo_file_ask_public(struct db_batch *batch, const char *addresses,
                                  const struct db_rows **rows)
{
    *rows = DB_ADD(batch, &photo_file_statements[ASK_PUBLIC], db_text(addresses));
    return db_batch_run(batch);
}

enum status photo_file_list(struct db_batch *batch, db_row_function *function, void *context)
{
    db_batch_stream(batch, &photo_file_statements[LIST], NULL, 0, function, context);
    return db_batch_run(batch);
}

enum status photo_file_whose(struct db_batch *batch, const char **whose)
{
    const struct db_rows *rows = db_batch_add(batch, &photo_file_statements[WHOSE], NULL, 0);
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    *whose = db_read_text(&row);
    return STATUS_OK;
}
