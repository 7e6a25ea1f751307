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

enum status login_run(struct db_batch *batch, struct arena *arena, const struct config *config,
                      const struct login_request *request, struct login_answer *answer)
{
    char network[LOGIN_NETWORK_SIZE];
    login_network(request->address, network);
    const struct throttle_subject subject = {.email = request->email, .address = network};
    const struct password_cost cost = {config->password_memory, config->password_operations};
    struct credentials credentials = {0};
    enum status status =
        attempt(batch, arena, config, request, &subject, &credentials, &answer->wait);
    if (status == STATUS_OK)
        status = password_verify(credentials.password_hash, request->password, &cost);
    if (status != STATUS_OK)
        return status;
    throttle_forgive_add(batch, &subject);
    status = login_start_session(batch, credentials.user_id, config->session_lifetime,
                                 credentials.password_hash, answer);
    return status == STATUS_USER_NOT_FOUND ? STATUS_PASSWORD_INCORRECT : status;
}
