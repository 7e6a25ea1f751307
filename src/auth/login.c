#include "auth/login.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "store/session.h"
#include "store/throttle.h"
#include "store/user.h"

/* The bytes of an address that name a client, and the site that it belongs to. */
static const struct {
    int ipv4, ipv6;
    const char *ending;
} widths[] = {
    [LOGIN_CLIENT] = {4, 8, ""},
    [LOGIN_SITE] = {3, 6, "/"},
};

static void write_masked(int family, unsigned char *bytes, int kept, int size, char *network)
{
    memset(bytes + kept, 0, (size_t)(size - kept));
    inet_ntop(family, bytes, network, INET6_ADDRSTRLEN);
}

void login_network(const char *address, enum login_width width,
                   char network[static LOGIN_NETWORK_SIZE])
{
    struct in6_addr ipv6;
    struct in_addr ipv4;
    bool is_ipv6 = inet_pton(AF_INET6, address, &ipv6) == 1;
    bool is_ipv4 = !is_ipv6 && inet_pton(AF_INET, address, &ipv4) == 1;
    if (is_ipv6 && IN6_IS_ADDR_V4MAPPED(&ipv6)) {
        memcpy(&ipv4, &ipv6.s6_addr[12], sizeof ipv4);
        is_ipv4 = true;
    }
    snprintf(network, LOGIN_NETWORK_SIZE - 1, "%s", address);
    if (is_ipv4)
        write_masked(AF_INET, (unsigned char *)&ipv4, widths[width].ipv4, sizeof ipv4, network);
    else if (is_ipv6)
        write_masked(AF_INET6, ipv6.s6_addr, widths[width].ipv6, sizeof ipv6, network);
    strcat(network, widths[width].ending);
}

enum status login_start_session(struct db_batch *batch, int64_t user_id, int64_t lifetime,
                                const char *password_hash, struct login_answer *answer)
{
    struct session_claim claim = {.user_id = user_id};
    crypto_token(answer->token);
    answer->user_id = user_id;
    enum status status = crypto_token_hash(answer->token, claim.token_hash);
    return status != STATUS_OK ? status : session_insert(batch, &claim, lifetime, password_hash);
}

/* One login on its way. */
struct attempt {
    struct db_batch *batch;
    struct arena *arena;
    const struct config *config;
    const struct login_request *request;
    struct throttle_subject subject;
    struct throttle_rule rule;
    struct credentials credentials;
    const char *hash; /* the verified one, or the one that takes its place */
    struct login_answer *answer;
};

static enum status told_to_wait(struct attempt *attempt, int64_t wait)
{
    attempt->answer->wait = wait;
    return wait > 0 ? STATUS_TOO_MANY_ATTEMPTS : STATUS_OK;
}

/*
 * The first round trip. Whoever must wait takes no permit, and leaves nothing behind: what the
 * batch has written by then, which is the claim of a signature, is committed with the count of the
 * attempt.
 */
static enum status look(struct attempt *attempt, bool *is_known)
{
    db_batch_hold(attempt->batch);
    const struct db_rows *rows =
        throttle_look_add(attempt->batch, &attempt->subject, &attempt->rule);
    enum status status = db_batch_run(attempt->batch);
    if (status != STATUS_OK)
        return status;
    struct throttle_look seen = throttle_look_read(rows);
    *is_known = seen.is_known;
    db_batch_continue(attempt->batch);
    return told_to_wait(attempt, seen.wait);
}

/* The second: counts the attempt and fetches what to verify. */
static enum status count(struct attempt *attempt)
{
    int64_t wait = 0;
    const struct db_rows *counted =
        throttle_attempt_add(attempt->batch, &attempt->subject, &attempt->rule);
    const struct db_rows *found = credentials_add(attempt->batch, attempt->request->email);
    enum status status = db_batch_run(attempt->batch);
    if (status == STATUS_OK) {
        wait = throttle_wait(counted);
        attempt->credentials = credentials_read(found, attempt->arena);
    }
    db_batch_reset(attempt->batch);
    return status == STATUS_OK ? told_to_wait(attempt, wait) : status;
}

/* What is hashed, with a permit. */
static enum status verify(struct attempt *attempt)
{
    const struct config *config = attempt->config;
    const struct password_cost cost = {config->password_memory, config->password_operations};
    const char *password = attempt->request->password;
    attempt->hash = attempt->credentials.password_hash;
    enum status status = password_verify(attempt->hash, password, &cost);
    if (status != STATUS_OK || !password_is_outdated(attempt->hash, &cost))
        return status;
    char *renewed = arena_take(attempt->arena, PASSWORD_HASH_SIZE);
    if (password_hash(password, &cost, renewed) == STATUS_OK)
        attempt->hash = renewed;
    return STATUS_OK;
}

/* The third. STATUS_USER_NOT_FOUND where the account has another hash by now. */
static enum status begin(struct attempt *attempt)
{
    const struct credentials *credentials = &attempt->credentials;
    throttle_welcome_add(attempt->batch, credentials->user_id, &attempt->subject, &attempt->rule);
    if (attempt->hash != credentials->password_hash)
        user_renew_hash_add(attempt->batch, credentials->user_id, credentials->password_hash,
                            attempt->hash);
    return login_start_session(attempt->batch, credentials->user_id,
                               attempt->config->session_lifetime, attempt->hash, attempt->answer);
}

static enum status try_password(struct attempt *attempt)
{
    enum status status = count(attempt);
    if (status == STATUS_OK)
        status = verify(attempt);
    return status == STATUS_OK ? begin(attempt) : status;
}

/* A hash that another login renewed meanwhile is verified as well, without another wait. */
static enum status try_login(struct attempt *attempt, const struct hashing *hashing)
{
    char site[LOGIN_NETWORK_SIZE];
    login_network(attempt->request->address, LOGIN_SITE, site);
    struct hashing_client client = {
        .network = attempt->subject.address, .site = site, .account = attempt->subject.email};
    enum status status = look(attempt, &client.is_known);
    if (status == STATUS_OK)
        status = hashing_enter(hashing, &client);
    if (status != STATUS_OK) {
        db_batch_reset(attempt->batch);
        return status;
    }
    status = try_password(attempt);
    if (status == STATUS_USER_NOT_FOUND) {
        db_batch_reset(attempt->batch);
        status = try_password(attempt);
    }
    hashing_leave(hashing);
    return status == STATUS_USER_NOT_FOUND ? STATUS_PASSWORD_INCORRECT : status;
}

enum status login_run(struct db_batch *batch, struct arena *arena, const struct config *config,
                      const struct hashing *hashing, const struct login_request *request,
                      struct login_answer *answer)
{
    char network[LOGIN_NETWORK_SIZE];
    login_network(request->address, LOGIN_CLIENT, network);
    struct attempt attempt = {.batch = batch,
                              .arena = arena,
                              .config = config,
                              .request = request,
                              .subject = {.email = request->email, .address = network},
                              .rule = {.account_free = config->login_failures_per_account,
                                       .address_free = config->login_failures_per_address,
                                       .hourly = config->logins_per_account,
                                       .longest_wait = config->login_throttle_max},
                              .answer = answer};
    return try_login(&attempt, hashing);
}
