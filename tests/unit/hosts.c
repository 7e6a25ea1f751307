#include "db/hosts.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

enum { SOON = 1000, LATER = 2000 };

static void servers_as_libpq_takes_them(void **state)
{
    static const struct {
        const char *conninfo, *host, *hostaddr, *port, *name;
    } rows[] = {
        {"dbname=d", NULL, NULL, NULL, "the local server"},
        {"host=a", "a", NULL, NULL, "a"},
        {"host=a port=5", "a", NULL, "5", "a port 5"},
        {"host=/run/a,/run/a port=5", "/run/a", NULL, "5", "/run/a port 5"},
        {"host=/run/a,/run/a port=5,5", "/run/a", NULL, "5", "/run/a port 5"},
        {"hostaddr=::1 port=5", NULL, "::1", "5", "::1 port 5"},
        {"host=a hostaddr=10.0.0.1", "a", "10.0.0.1", NULL, "a"},
        {"host=,", "", NULL, NULL, "the local server"},
        {"postgresql://u@a:5/d", "a", NULL, "5", "a port 5"},
        {"host='", NULL, NULL, NULL, "the local server"}, /* no connection string */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct hosts *hosts = hosts_new(rows[i].conninfo);
        struct hosts_server server = hosts_next(hosts, SOON);
        expect_text(rows[i].conninfo, server.host, rows[i].host);
        expect_text(rows[i].conninfo, server.hostaddr, rows[i].hostaddr);
        expect_text(rows[i].conninfo, server.port, rows[i].port);
        expect_text(rows[i].conninfo, server.name, rows[i].name);
        hosts_free(&hosts);
        assert_null(hosts);
    }
}

/* Which of "abc" a server is. Ports and addresses go with their host. */
static int index_of(struct hosts_server server)
{
    int index = *server.host - 'a';
    assert_int_equal(*server.port - '1', index);
    assert_int_equal(server.hostaddr[strlen(server.hostaddr) - 1] - '1', index);
    return index;
}

static struct hosts *three(void)
{
    return hosts_new("host=a,b,c port=1,2,3 hostaddr=10.0.0.1,10.0.0.2,10.0.0.3");
}

static void everyone_has_a_turn(void **state)
{
    (void)state;
    struct hosts *hosts = three();
    for (int round = 0; round < 3; round++) {
        int seen = 0;
        for (size_t i = hosts_count(hosts, SOON); i > 0; i--)
            seen |= 1 << index_of(hosts_next(hosts, SOON));
        assert_int_equal(seen, 7);
    }
    hosts_free(&hosts);
}

static void each_comes_first_at_times(void **state)
{
    int first[3] = {0};
    (void)state;
    for (int i = 0; i < 300; i++) {
        struct hosts *hosts = three();
        first[index_of(hosts_next(hosts, SOON))]++;
        hosts_free(&hosts);
    }
    for (int i = 0; i < 3; i++) /* 100, give or take six deviations */
        assert_in_range(first[i], 51, 149);
}

static void skipped_ones_are_left_out(void **state)
{
    (void)state;
    struct hosts *hosts = three();
    int bad = index_of(hosts_next(hosts, SOON));
    hosts_skip(hosts, LATER);
    assert_int_equal(hosts_count(hosts, SOON), 2);
    for (int i = 0; i < 4; i++)
        assert_int_not_equal(index_of(hosts_next(hosts, SOON)), bad);
    assert_true(hosts_ready_at(hosts) <= SOON);
    for (int i = 0; i < 2; i++) {
        hosts_next(hosts, SOON);
        hosts_skip(hosts, LATER + 1);
    }
    assert_int_equal(hosts_ready_at(hosts), LATER);
    assert_int_equal(hosts_count(hosts, SOON), 3); /* better than none */
    assert_int_equal(hosts_count(hosts, LATER), 1);
    assert_int_equal(index_of(hosts_next(hosts, LATER)), bad);
    hosts_free(&hosts);
}

static void what_is_said_again_is_no_news(void **state)
{
    (void)state;
    struct hosts *hosts = hosts_new("host=a,b");
    for (int i = 0; i < 2; i++) {
        hosts_next(hosts, SOON);
        assert_true(hosts_failed(hosts, "refused"));
    }
    for (int i = 0; i < 2; i++) {
        hosts_next(hosts, SOON);
        assert_false(hosts_failed(hosts, "refused"));
        assert_true(hosts_failed(hosts, "read-only"));
    }
    hosts_good(hosts);
    assert_true(hosts_failed(hosts, "read-only"));
    hosts_free(&hosts);
}

static void wanted_roles(void **state)
{
    static const struct {
        const char *conninfo;
        enum hosts_role want;
    } rows[] = {
        {"host=a", HOSTS_ANY},
        {"target_session_attrs=any", HOSTS_ANY},
        {"target_session_attrs=read-write", HOSTS_WRITABLE},
        {"target_session_attrs=primary", HOSTS_PRIMARY},
        {"target_session_attrs=read-only", HOSTS_STANDBY},
        {"target_session_attrs=standby", HOSTS_STANDBY},
        {"postgresql://a,b/d?target_session_attrs=prefer-standby", HOSTS_STANDBY},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct hosts *hosts = hosts_new(rows[i].conninfo);
        expect_integer(rows[i].conninfo, hosts_role(hosts), rows[i].want);
        hosts_free(&hosts);
    }
}

static void patience(void **state)
{
    static const struct {
        const char *conninfo;
        int64_t want;
    } rows[] = {
        {"host=a", 0},
        {"host=a connect_timeout=3", 3000},
        {"connect_timeout=0", 0},
        {"connect_timeout=-1", 0},
        {"connect_timeout=x", 0},
        {"connect_timeout=99999999999999999", 0},
        {"postgresql://a/d?connect_timeout=2", 2000},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct hosts *hosts = hosts_new(rows[i].conninfo);
        expect_integer(rows[i].conninfo, hosts_connect_timeout(hosts), rows[i].want);
        hosts_free(&hosts);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(servers_as_libpq_takes_them),
        cmocka_unit_test(everyone_has_a_turn),
        cmocka_unit_test(each_comes_first_at_times),
        cmocka_unit_test(skipped_ones_are_left_out),
        cmocka_unit_test(what_is_said_again_is_no_news),
        cmocka_unit_test(wanted_roles),
        cmocka_unit_test(patience),
    };
    return RUN_TESTS(tests);
}
