#include "store/statistics.h"

#include "store/registry.h"

enum { COUNTS, PHOTOS, USERS, PLACES, TABLES, INDEXES, STATEMENTS };

/* Of the rows whose moment is known: when they were made, or of albums and places last changed. */
#define COUNTED(kind, table, moment)                                   \
    "SELECT '" kind "', count(*),"                                     \
    " count(*) FILTER (WHERE " moment " > now() - interval '1 day'),"  \
    " count(*) FILTER (WHERE " moment " > now() - interval '7 days')," \
    " count(*) FILTER (WHERE " moment " > now() - interval '30 days') FROM " table
#define PHOTOS_OF(kind, key)                    \
    "SELECT '" kind "', count(*), count(name)," \
    " coalesce(sum(original_bytes), 0)::bigint FROM photo WHERE " key " IS NOT NULL"
#define ACTS(table, user, moment) \
    "SELECT " user " AS user_id FROM " table " WHERE " moment " > now() - interval '30 days'"

const struct db_statement statistics_statements[] = {
    /* clang-format off */
    [COUNTS] = {"statistics_counts",
                COUNTED("users", "user_account", "created_at") " UNION ALL "
                COUNTED("sessions", "session", "created_at") " UNION ALL "
                COUNTED("albums", "album", "updated_at") " UNION ALL "
                COUNTED("places", "poi", "updated_at") " UNION ALL "
                COUNTED("blogs", "blog", "created_at") " UNION ALL "
                COUNTED("comments", "comment", "created_at"),
                "tllll", false, DB_ADMIN},
    /* When one was added, nobody knows. */
    [PHOTOS] = {"statistics_photos",
                PHOTOS_OF("albums", "album_id") " UNION ALL " PHOTOS_OF("places", "poi_id"),
                "tlll", false, DB_ADMIN},
    [USERS] = {"statistics_users",
               "SELECT u.user_id, u.name, count(*) AS acts FROM ("
               ACTS("blog", "author_id", "created_at") " UNION ALL "
               ACTS("comment", "commenter_id", "created_at") " UNION ALL "
               ACTS("album", "owner_id", "updated_at") ") acts"
               " JOIN user_account u USING (user_id) GROUP BY u.user_id"
               " ORDER BY acts DESC, u.user_id LIMIT $1::bigint",
               "ltl", false, DB_ADMIN},
    /* clang-format on */
    [PLACES] = {"statistics_places",
                "SELECT p.poi_id, p.name, count(*) AS comments, p.score"
                " FROM comment c JOIN poi p USING (poi_id) GROUP BY p.poi_id"
                " ORDER BY comments DESC, p.poi_id LIMIT $1::bigint",
                "ltli", false, DB_ADMIN},
    /* reltuples is -1 where nobody has counted. */
    [TABLES] = {"statistics_tables",
                "SELECT c.relname::text, nullif(c.reltuples, -1)::bigint, pg_table_size(c.oid),"
                " pg_indexes_size(c.oid)"
                " FROM pg_class c WHERE c.relnamespace = 'mapdiary'::regnamespace"
                " AND c.relkind = 'r' ORDER BY pg_total_relation_size(c.oid) DESC, c.relname",
                "tlll", false, DB_ADMIN},
    [INDEXES] = {"statistics_indexes",
                 "SELECT indexrelname::text, relname::text, pg_relation_size(indexrelid) AS bytes,"
                 " idx_scan"
                 " FROM pg_stat_user_indexes WHERE schemaname = 'mapdiary'"
                 " ORDER BY bytes DESC, indexrelname LIMIT $1::bigint",
                 "ttll", false, DB_ADMIN},
    /* The schema, as search_path takes it, into which the database has the extension. It is of use
     * where the server's start has loaded its library, and so knows its settings. */
    [STATEMENTS] = {"statistics_statements",
                    "SELECT quote_ident(n.nspname) FROM pg_extension e"
                    " JOIN pg_namespace n ON n.oid = e.extnamespace"
                    " JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = e.extname"
                    " WHERE e.extname = 'pg_stat_statements'"
                    " AND current_setting('pg_stat_statements.max', true) IS NOT NULL"
                    " AND has_schema_privilege(n.oid, 'USAGE')"
                    " AND has_table_privilege(c.oid, 'SELECT')",
                    "t", false, DB_ADMIN},
    DB_STATEMENTS_END,
};

static const struct db_statement slow_statements[] = {
    {"statistics_slow",
     "SELECT calls, round(total_exec_time)::bigint, round(mean_exec_time::numeric, 3)::text, rows,"
     " left(regexp_replace(query, '\\s+', ' ', 'g'), 200)"
     " FROM pg_stat_statements"
     " WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())"
     " AND query <> '<insufficient privilege>'"
     " ORDER BY total_exec_time DESC LIMIT $1::bigint",
     "lltlt", false, DB_ADMIN},
    DB_STATEMENTS_END,
};

const struct db_statement *const statistics_slow_registry[] = {slow_statements, NULL};

enum status statistics_read(struct db_batch *batch, int64_t most, struct statistics *statistics)
{
    const struct db_statement *list = statistics_statements;
    statistics->counts = db_batch_add(batch, &list[COUNTS], NULL, 0);
    statistics->photos = db_batch_add(batch, &list[PHOTOS], NULL, 0);
    statistics->users = DB_ADD(batch, &list[USERS], db_integer(most));
    statistics->places = DB_ADD(batch, &list[PLACES], db_integer(most));
    statistics->tables = db_batch_add(batch, &list[TABLES], NULL, 0);
    statistics->indexes = DB_ADD(batch, &list[INDEXES], db_integer(most));
    const struct db_rows *schema = db_batch_add(batch, &list[STATEMENTS], NULL, 0);
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    statistics->statements_schema = NULL;
    if (db_rows_count(schema) > 0) {
        struct db_row row = db_row(schema, 0);
        statistics->statements_schema = db_read_text(&row);
    }
    return STATUS_OK;
}

enum status statistics_slow(struct db_batch *batch, int64_t most, db_row_function *function,
                            void *context)
{
    DB_STREAM(batch, &slow_statements[0], function, context, db_integer(most));
    return db_batch_run(batch);
}
