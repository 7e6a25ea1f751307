/*
 * Holds the limits and words of the model against the schema, whose rules they repeat:
 * MAPDIARY_TEST_DATABASE is a libpq connection string of the service's role.
 */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/advertisement.h"
#include "model/album.h"
#include "model/application.h"
#include "model/blog.h"
#include "model/poi.h"
#include "model/report.h"
#include "model/text.h"
#include "model/vote.h"
#include "unit.h"

static PGconn *connection;

static PGresult *query(const char *sql)
{
    PGresult *result = PQexec(connection, sql);
    ExecStatusType outcome = PQresultStatus(result);
    if (outcome != PGRES_COMMAND_OK && outcome != PGRES_TUPLES_OK)
        fail_msg("%s: %s", sql, PQerrorMessage(connection));
    return result;
}

static void run(const char *sql)
{
    PQclear(query(sql));
}

static void expect_answer(const char *sql, const char *want)
{
    PGresult *result = query(sql);
    expect_text(sql, PQgetvalue(result, 0, 0), want);
    PQclear(result);
}

/* Of a copy, all that is not about one column that has a value. A kind of pieces has one
 * constraint, which says nothing of columns without a value. */
static const char strip[] =
    "DO $$ DECLARE it record; BEGIN"
    " FOR it IN SELECT attname FROM pg_attribute WHERE attrelid = 'pg_temp.copy'::regclass"
    "  AND attnum > 0 AND attnotnull LOOP"
    "  EXECUTE format('ALTER TABLE pg_temp.copy ALTER %I DROP NOT NULL', it.attname); END LOOP;"
    " FOR it IN SELECT conname FROM pg_constraint WHERE conrelid = 'pg_temp.copy'::regclass"
    "  AND contype = 'c' AND cardinality(conkey) > 1"
    "  AND conname NOT IN ('album_check', 'poi_check', 'blog_check') LOOP"
    "  EXECUTE format('ALTER TABLE pg_temp.copy DROP CONSTRAINT %I', it.conname); END LOOP;"
    " END $$";

/* Begins a transaction that has an empty table with the rules of another one's columns. */
static void begin_copy(const char *table)
{
    char create[160];
    snprintf(create, sizeof create,
             "CREATE TEMPORARY TABLE copy (LIKE %s INCLUDING CONSTRAINTS INCLUDING DEFAULTS)",
             table);
    run("BEGIN");
    run(create);
    run(strip);
}

/* Values that have a number, as SQL of $1. */
#define INTEGER "$1::bigint"
#define TEXT "repeat('\u5b57', $1::integer)"
#define BYTES "decode(repeat('00', $1::integer), 'hex')"

#define PLACE_OF(table)                                           \
    {table, "lat", INTEGER, -PLACE_LAT_MOST, PLACE_LAT_MOST},     \
        {table, "lng", INTEGER, -PLACE_LNG_MOST, PLACE_LNG_MOST}, \
    {                                                             \
        table, "score", INTEGER, SCORE_LEAST, SCORE_MOST          \
    }

static const struct limit {
    const char *table;
    const char *column;
    const char *value;
    int64_t least, most;
} limits[] = {
    {"album", "slot", INTEGER, 1, ALBUM_CATEGORIES},
    {"poi", "slot", INTEGER, 17, 16 + POI_CATEGORIES},
    {"blog", "slot", INTEGER, 22, 22 + 8},
    {"blog", "zoom_level", INTEGER, 0, BLOG_ZOOM_MOST},
    {"blog", "map_type", INTEGER, 1, BLOG_MAP_TYPES},
    {"vote_choice", "position", INTEGER, 1, VOTE_POSITION_MOST},
    {"application_key", "key_id", BYTES, KEY_ID_SIZE, KEY_ID_SIZE},
    PLACE_OF("piece"),
    {"user_account", "email", TEXT, 1, TEXT_LINE_MOST},
    {"account_token", "email", TEXT, 1, TEXT_LINE_MOST},
    {"account_token", "name", TEXT, 1, TEXT_LINE_MOST},
    {"mail", "recipient", TEXT, 1, TEXT_LINE_MOST},
    {"mail", "subject", TEXT, 1, TEXT_LINE_MOST},
    {"mail", "body", TEXT, 1, TEXT_BODY_MOST},
    {"mail", "reply", TEXT, 0, TEXT_NOTE_MOST},
    {"user_account", "name", TEXT, 1, TEXT_LINE_MOST},
    {"user_account", "icon", TEXT, 0, TEXT_NOTE_MOST},
    {"application_key", "name", TEXT, 1, TEXT_LINE_MOST},
    {"piece", "title", TEXT, 1, TEXT_LINE_MOST},
    {"photo", "address", TEXT, 1, TEXT_NOTE_MOST},
    {"photo", "description", TEXT, 0, TEXT_NOTE_MOST},
    {"piece", "content", TEXT, 1, TEXT_BODY_MOST},
    {"piece", "user_category", TEXT, 1, TEXT_LINE_MOST},
    {"vote", "description", TEXT, 1, TEXT_LINE_MOST},
    {"vote_choice", "description", TEXT, 1, TEXT_LINE_MOST},
    {"advertisement", "title", TEXT, 1, TEXT_LINE_MOST},
    {"advertisement", "text", TEXT, 0, ADVERTISEMENT_TEXT_MOST},
    {"advertisement", "lat", INTEGER, -PLACE_LAT_MOST, PLACE_LAT_MOST},
    {"advertisement", "lng", INTEGER, -PLACE_LNG_MOST, PLACE_LNG_MOST},
    {"advertisement", "radius", INTEGER, 1, ADVERTISEMENT_RADIUS_MOST},
    {"advertisement", "weight", INTEGER, 1, ADVERTISEMENT_WEIGHT_MOST},
    {"report", "reason", TEXT, 1, REPORT_REASON_MOST},
    {"decision", "decided_by", TEXT, 1, TEXT_LINE_MOST},
    {"decision", "reason", TEXT, 0, TEXT_NOTE_MOST},
    {"decision", "rule", TEXT, 0, TEXT_NOTE_MOST},
    {"comment", "comment", TEXT, 1, TEXT_BODY_MOST},
    {"comment", "reply", TEXT, 1, TEXT_BODY_MOST},
};

/* Whether the schema takes the value of this number; else it says that a rule forbids it, or that
 * it does not fit. */
static bool takes(const struct limit *limit, int64_t number)
{
    char insert[160], text[24];
    const char *const values[] = {text};
    snprintf(insert, sizeof insert, "INSERT INTO pg_temp.copy (%s) VALUES (%s)", limit->column,
             limit->value);
    snprintf(text, sizeof text, "%lld", (long long)number);
    begin_copy(limit->table);
    PGresult *result = PQexecParams(connection, insert, 1, NULL, values, NULL, NULL, 0);
    const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    bool good = code == NULL;
    if (!good && strcmp(code, "23514") != 0 && strcmp(code, "22003") != 0)
        fail_msg("%s.%s: %s", limit->table, limit->column, PQresultErrorMessage(result));
    PQclear(result);
    run("ROLLBACK");
    return good;
}

static void the_schema_has_the_same_limits(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(limits); i++) {
        const struct limit *limit = &limits[i];
        char what[80];
        snprintf(what, sizeof what, "%s.%s", limit->table, limit->column);
        expect_integer(what, takes(limit, limit->least), true);
        expect_integer(what, takes(limit, limit->most), true);
        expect_integer(what, takes(limit, limit->most + 1), false);
        if (limit->least > 0 || limit->value[0] == '$')
            expect_integer(what, takes(limit, limit->least - 1), false);
    }
}

/* A domain of the schema is a rule of the model. */
static void no_column_is_forgotten(void **state)
{
    size_t known = 0;
    char count[24];
    (void)state;
    for (size_t i = 0; i < COUNT(limits); i++)
        known += strcmp(limits[i].value, TEXT) == 0 || strcmp(limits[i].column, "lat") == 0 ||
                 strcmp(limits[i].column, "lng") == 0;
    snprintf(count, sizeof count, "%zu", known);
    expect_answer("SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid"
                  " JOIN pg_type t ON t.oid = a.atttypid WHERE t.typtype = 'd'"
                  " AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
                  " AND c.relnamespace = 'mapdiary'::regnamespace",
                  count);
}

static void expect_words(const char *sql, const char *const *words)
{
    char want[256] = "";
    for (size_t i = 0; words[i] != NULL; i++)
        snprintf(want + strlen(want), sizeof want - strlen(want), "%s%s", i == 0 ? "" : " ",
                 words[i]);
    expect_answer(sql, want);
}

static void the_schema_has_the_same_words(void **state)
{
    (void)state;
    expect_words("SELECT string_agg(slot_name(n::smallint), ' ' ORDER BY n)"
                 " FROM generate_series(22, 30) n WHERE blog_slot(slot_name(n::smallint)) = n",
                 blog_types);
    expect_words("SELECT array_to_string(enum_range(NULL::weather), ' ')", blog_weathers);
    expect_words("SELECT array_to_string(enum_range(NULL::visibility), ' ')", piece_visibilities);
}

static void the_schema_has_the_same_defaults(void **state)
{
    (void)state;
    begin_copy("blog");
    expect_answer("INSERT INTO pg_temp.copy DEFAULT VALUES RETURNING zoom_level",
                  BLOG_ZOOM_DEFAULT);
    expect_answer("INSERT INTO pg_temp.copy DEFAULT VALUES RETURNING map_type",
                  BLOG_MAP_TYPE_DEFAULT);
    run("ROLLBACK");
}

static int connect_service(void **state)
{
    (void)state;
    connection = PQconnectdb(getenv("MAPDIARY_TEST_DATABASE"));
    if (PQstatus(connection) != CONNECTION_OK)
        fail_msg("%s", PQerrorMessage(connection));
    run("SET search_path = mapdiary");
    return 0;
}

static int disconnect(void **state)
{
    (void)state;
    PQfinish(connection);
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schema_has_the_same_limits),
        cmocka_unit_test(no_column_is_forgotten),
        cmocka_unit_test(the_schema_has_the_same_words),
        cmocka_unit_test(the_schema_has_the_same_defaults),
    };
    if (!unit_has_database())
        return UNIT_SKIPPED;
    return cmocka_run_group_tests(tests, connect_service, disconnect);
}
