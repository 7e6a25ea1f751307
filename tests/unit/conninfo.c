#include "db/conninfo.h"

#include <string.h>

#include "unit.h"

static const struct {
    const char *conninfo;
    bool is_here;
    const char *for_role;
} rows[] = {
    {"", true, "user='r'"},
    {"dbname=d user=u", true, "user='r' dbname='u' dbname='d'"},
    {"port=5433 password=p dbname=d", true, "user='r' dbname='d' port='5433'"},
    {"host=/run/a port=5", true, "user='r' host='/run/a' port='5'"},
    {"host=localhost port=5 user=u", true, "user='r' dbname='u' port='5'"},
    {"hostaddr=127.0.0.1", true, "user='r'"},
    {"hostaddr=::1", true, "user='r'"},
    {"postgresql://u:p@localhost:5/d%20e", true, "user='r' dbname='u' dbname='d e' port='5'"},
    {"host=db.example dbname=d", false, "user='r' dbname='d' host='db.example'"},
    {"host=localhost,db.example", false, "user='r' host='localhost,db.example'"},
    {"host=localhost hostaddr=10.0.0.1", false, "user='r' host='localhost' hostaddr='10.0.0.1'"},
    {"host=127.0.0.1,10.0.0.1", false, "user='r' host='127.0.0.1,10.0.0.1'"},
    {"service=s", false, "user='r' service='s'"},
    {"host='", false, "user='r'"}, /* no connection string */
};

static void whether_it_leads_to_this_machine(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (db_conninfo_is_here(rows[i].conninfo) != rows[i].is_here)
            fail_msg("%s", rows[i].conninfo);
}

static void another_role_in_the_same_database(void **state)
{
    struct arena *arena = arena_new();
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_text(rows[i].conninfo, db_conninfo_for_role(rows[i].conninfo, "r", arena),
                    rows[i].for_role);
    arena_free(&arena);
}

static void the_role_of_the_user(void **state)
{
    struct arena *arena = arena_new();
    (void)state;
    assert_string_equal(db_conninfo_for_role("user=u password=p port=5", NULL, arena),
                        " dbname='u' port='5'");
    arena_free(&arena);
}

static void a_part_is_quoted(void **state)
{
    struct arena *arena = arena_new();
    const char *part = db_conninfo_part("dbname", "it's a \\", arena);
    (void)state;
    assert_string_equal(part, "dbname='it\\'s a \\\\'");
    assert_string_equal(db_conninfo_value(part, "dbname", arena), "it's a \\");
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whether_it_leads_to_this_machine),
        cmocka_unit_test(another_role_in_the_same_database),
        cmocka_unit_test(the_role_of_the_user),
        cmocka_unit_test(a_part_is_quoted),
    };
    return RUN_TESTS(tests);
}
