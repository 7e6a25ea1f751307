#include "auth/attempt.h"

static struct password_cost cost_of(const struct attempt *attempt)
{
    const struct config *config = attempt->config;
    return (struct password_cost){config->password_memory, config->password_operations};
}

static int64_t free_of(const struct attempt *attempt)
{
    const struct config *config = attempt->config;
    return attempt->kind == ATTEMPT_MAIL ? config->mails_per_address
                                         : config->login_failures_per_account;
}

/* Neither an email address nor a network has a blank in it. */
static const char *name_of(const struct attempt *attempt, const char *name)
{
    return attempt->kind == ATTEMPT_MAIL ? arena_format(attempt->arena, "mail %s", name) : name;
}

static void name_subject(struct attempt *attempt)
{
    const struct config *config = attempt->config;
    network_name(attempt->address, NETWORK_CLIENT, attempt->network);
    attempt->subject.address = name_of(attempt, attempt->network);
    attempt->subject.email = name_of(attempt, attempt->email);
    attempt->rule = (struct throttle_rule){.account_free = free_of(attempt),
                                           .address_free = config->login_failures_per_address,
                                           .hourly = config->logins_per_account,
                                           .longest_wait = config->login_throttle_max};
}

static enum status told_to_wait(struct attempt *attempt, int64_t wait)
{
    attempt->wait = wait;
    return wait > 0 ? STATUS_TOO_MANY_ATTEMPTS : STATUS_OK;
}

/*
 * A throttled client takes no permit and leaves nothing behind. The batch may have written the
 * claim of a signature by then, which is committed with the count of the attempt.
 */
static enum status look(struct attempt *attempt, bool *is_known)
{
    name_subject(attempt);
    const struct db_rows *rows =
        throttle_look_add(attempt->batch, &attempt->subject, &attempt->rule);
    enum status status = db_batch_run_open(attempt->batch);
    if (status != STATUS_OK)
        return status;
    struct throttle_look seen = throttle_look_read(rows);
    *is_known = seen.is_known;
    return told_to_wait(attempt, seen.wait);
}

enum status attempt_look(struct attempt *attempt)
{
    bool is_known = false;
    enum status status = look(attempt, &is_known);
    if (status != STATUS_OK)
        db_batch_reset(attempt->batch);
    return status;
}

static enum status enter(const struct attempt *attempt, bool is_known)
{
    return admission_take_password(attempt->admission, attempt->email, is_known);
}

enum status attempt_begin(struct attempt *attempt)
{
    bool is_known = false;
    enum status status = look(attempt, &is_known);
    if (status == STATUS_OK)
        status = enter(attempt, is_known);
    if (status != STATUS_OK)
        db_batch_reset(attempt->batch);
    return status;
}

enum status attempt_enter(struct attempt *attempt)
{
    name_subject(attempt);
    return enter(attempt, true);
}

enum status attempt_count(struct attempt *attempt)
{
    int64_t wait = 0;
    const struct db_rows *counted =
        throttle_attempt_add(attempt->batch, &attempt->subject, &attempt->rule);
    const struct db_rows *found = credentials_add(attempt->batch, attempt->email);
    enum status status = db_batch_run(attempt->batch);
    if (status == STATUS_OK) {
        wait = throttle_wait(counted);
        attempt->is_counted = wait == 0;
        attempt->credentials = credentials_read(found, attempt->arena);
    }
    db_batch_reset(attempt->batch);
    return status == STATUS_OK ? told_to_wait(attempt, wait) : status;
}

static void count_hashing(struct attempt *attempt)
{
    if (--attempt->hashings == 0)
        admission_end_password(attempt->admission);
}

enum status attempt_verify(struct attempt *attempt, const char *hash, const char *password)
{
    const struct password_cost cost = cost_of(attempt);
    enum status status = password_verify(hash, password, &cost);
    count_hashing(attempt);
    return status;
}

bool attempt_is_outdated(const struct attempt *attempt, const char *hash)
{
    const struct password_cost cost = cost_of(attempt);
    return hash != NULL && password_is_outdated(hash, &cost);
}

enum status attempt_hash(struct attempt *attempt, const char *password, const char **hash)
{
    const struct password_cost cost = cost_of(attempt);
    char *made = arena_take(attempt->arena, PASSWORD_HASH_SIZE);
    enum status status = password_hash(password, &cost, made);
    *hash = made;
    count_hashing(attempt);
    return status;
}

void attempt_welcome_add(const struct attempt *attempt, struct db_batch *batch, int64_t user_id)
{
    throttle_welcome_add(batch, user_id, &attempt->subject, &attempt->rule);
    if (!attempt->is_counted)
        throttle_adjust_add(batch, &attempt->subject, 1);
}

enum status attempt_forgive(struct attempt *attempt)
{
    throttle_adjust_add(attempt->batch, &attempt->subject, -1);
    enum status status = db_batch_run(attempt->batch);
    db_batch_reset(attempt->batch);
    return status;
}
