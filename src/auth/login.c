#include "auth/login.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "store/session.h"
#include "store/throttle.h"
#include "store/user.h"

void login_network(const char *address, char network[static LOGIN_NETWORK_SIZE])
{
    struct in6_addr ipv6;
    snprintf(network, LOGIN_NETWORK_SIZE, "%s", address);
    if (inet_pton(AF_INET6, address, &ipv6) != 1)
        return;
    if (IN6_IS_ADDR_V4MAPPED(&ipv6)) {
        inet_ntop(AF_INET, &ipv6.s6_addr[12], network, LOGIN_NETWORK_SIZE);
        return;
    }
    memset(&ipv6.s6_addr[8], 0, 8);
    inet_ntop(AF_INET6, &ipv6, network, LOGIN_NETWORK_SIZE);
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

/* The first round trip: counts the attempt and fetches what to verify. */
static enum status attempt(struct db_batch *batch, struct arena *arena, const struct config *config,
                           const struct login_request *request,
                           const struct throttle_subject *subject, struct credentials *credentials,
                           int64_t *wait)
{
    const struct throttle_rule rule = {
        .account_free = config->login_failures_per_account,
        .address_free = config->login_failures_per_address,
        .longest_wait = config->login_throttle_max,
    };
    const struct db_rows *counted = throttle_attempt_add(batch, subject, &rule);
    const struct db_rows *found = credentials_add(batch, request->email);
    enum status status = db_batch_run(batch);
    if (status == STATUS_OK) {
        *wait = throttle_wait(counted);
        *credentials = credentials_read(found, arena);
    }
    db_batch_reset(batch);
    return status == STATUS_OK && *wait > 0 ? STATUS_TOO_MANY_ATTEMPTS : status;
}

/* Beside the verified hash: the one that takes its place, or itself. */
struct verified {
    struct credentials credentials;
    const char *hash;
};

/* What is hashed, at one of the places to hash at. */
static enum status verify(struct db_batch *batch, struct arena *arena, const struct config *config,
                          const struct login_request *request,
                          const struct throttle_subject *subject, struct verified *verified,
                          int64_t *wait)
{
    const struct password_cost cost = {config->password_memory, config->password_operations};
    enum status status =
        attempt(batch, arena, config, request, subject, &verified->credentials, wait);
    const char *hash = verified->credentials.password_hash;
    if (status == STATUS_OK)
        status = password_verify(hash, request->password, &cost);
    verified->hash = hash;
    if (status != STATUS_OK || !password_is_outdated(hash, &cost))
        return status;
    char *renewed = arena_take(arena, PASSWORD_HASH_SIZE);
    if (password_hash(request->password, &cost, renewed) == STATUS_OK)
        verified->hash = renewed;
    return STATUS_OK;
}

/* The second round trip. STATUS_USER_NOT_FOUND where the account has another hash by now. */
static enum status begin(struct db_batch *batch, const struct config *config,
                         const struct throttle_subject *subject, const struct verified *verified,
                         struct login_answer *answer)
{
    const struct credentials *credentials = &verified->credentials;
    throttle_forgive_add(batch, subject);
    if (verified->hash != credentials->password_hash)
        user_renew_hash_add(batch, credentials->user_id, credentials->password_hash,
                            verified->hash);
    return login_start_session(batch, credentials->user_id, config->session_lifetime,
                               verified->hash, answer);
}

static enum status try_login(struct db_batch *batch, struct arena *arena,
                             const struct config *config, const struct login_request *request,
                             const struct throttle_subject *subject, struct login_answer *answer)
{
    struct verified verified = {0};
    enum status status = verify(batch, arena, config, request, subject, &verified, &answer->wait);
    return status == STATUS_OK ? begin(batch, config, subject, &verified, answer) : status;
}

/* A hash that another login renewed meanwhile is verified as well, without another wait. */
enum status login_run(struct db_batch *batch, struct arena *arena, const struct config *config,
                      const struct hashing *hashing, const struct login_request *request,
                      struct login_answer *answer)
{
    char network[LOGIN_NETWORK_SIZE];
    login_network(request->address, network);
    const struct throttle_subject subject = {.email = request->email, .address = network};
    enum status status = hashing_enter(hashing);
    if (status != STATUS_OK)
        return status;
    status = try_login(batch, arena, config, request, &subject, answer);
    if (status == STATUS_USER_NOT_FOUND) {
        db_batch_reset(batch);
        status = try_login(batch, arena, config, request, &subject, answer);
    }
    hashing_leave(hashing);
    return status == STATUS_USER_NOT_FOUND ? STATUS_PASSWORD_INCORRECT : status;
}
