#include "auth/access.h"

bool access_is_required(enum access access)
{
    return access >= ACCESS_SESSION;
}

bool access_may_end(enum access access)
{
    return access == ACCESS_LOGOUT || access == ACCESS_LEAVING;
}

static bool is_found(const struct db_rows *rows, int64_t user_id)
{
    if (db_rows_count(rows) == 0)
        return false;
    struct db_row row = db_row(rows, 0);
    return db_read_integer(&row) == user_id;
}

/* A token is of one user's session, or of none. */
static enum status find_users(const struct candidates *candidates, struct db_batch *batch,
                              const struct db_rows **rows)
{
    for (size_t i = 0; i < candidates->count; i++) {
        const struct candidate *pair = &candidates->pairs[i];
        bool has_same = i > 0 && pair->token == pair[-1].token;
        rows[i] = has_same ? rows[i - 1] : session_user_add(batch, pair->claim.token_hash);
    }
    return db_batch_run(batch);
}

/* Of several pairs only the database knows which are sessions: those alone are left, in their
 * order. STATUS_NOT_FOUND where none is: then all are left. */
static enum status look(struct candidates *candidates, const struct db_batch *beside)
{
    const struct db_rows *rows[CANDIDATES_MOST];
    struct db_batch *batch = db_batch_beside(beside);
    size_t count = 0;
    enum status status = find_users(candidates, batch, rows);
    for (size_t i = 0; i < candidates->count && status == STATUS_OK; i++)
        if (is_found(rows[i], candidates->pairs[i].claim.user_id))
            candidates->pairs[count++] = candidates->pairs[i];
    db_batch_reset(batch);
    if (count > 0)
        candidates->count = count;
    return status == STATUS_OK && count == 0 ? STATUS_NOT_FOUND : status;
}

static bool is_of_one_user(const struct candidates *candidates)
{
    for (size_t i = 1; i < candidates->count; i++)
        if (candidates->pairs[i].claim.user_id != candidates->pairs[0].claim.user_id)
            return false;
    return true;
}

static enum status choose(struct access_check *check, const struct db_batch *batch)
{
    struct candidates *candidates = &check->candidates;
    enum status status = STATUS_OK;
    if (candidates->count > 1)
        status = look(candidates, batch);
    if (status != STATUS_OK)
        return status == STATUS_NOT_FOUND ? STATUS_OK : status;
    if (candidates->count > 0 && (check->access == ACCESS_LOGOUT || is_of_one_user(candidates)))
        access_claim(check, &candidates->pairs[0]);
    return STATUS_OK;
}

enum status access_begin(struct access_check *check, enum access access,
                         const struct session_cookies *cookies, const struct db_batch *batch)
{
    check->access = access;
    check->claimed = false;
    check->candidates.count = 0;
    check->found = NULL;
    if (access == ACCESS_ANYONE)
        return STATUS_OK;
    candidates_of(cookies, &check->candidates);
    enum status status = choose(check, batch);
    if (status != STATUS_OK)
        return status;
    return access_is_required(access) && !check->claimed ? STATUS_LOGIN_REQUIRED : STATUS_OK;
}

void access_claim(struct access_check *check, const struct candidate *candidate)
{
    check->claimed = true;
    check->id = candidate->id;
    check->token = candidate->token;
    check->claim = candidate->claim;
}

void access_keep_session(struct access_check *check)
{
    if (check->access == ACCESS_LOGOUT)
        check->access = ACCESS_SESSION;
}

static void end_all(const struct access_check *check, struct db_batch *batch)
{
    for (size_t i = 0; i < check->candidates.count; i++)
        session_end_add(batch, &check->candidates.pairs[i].claim);
}

void access_add(struct access_check *check, struct db_batch *batch)
{
    if (!check->claimed)
        return;
    if (check->access == ACCESS_READER)
        check->found = session_find_add(batch, &check->claim);
    else if (check->access == ACCESS_KNOWN)
        session_check_add(batch, &check->claim);
    else if (check->access == ACCESS_LOGOUT)
        end_all(check, batch);
    else
        session_require_add(batch, &check->claim);
}

const struct session_claim *access_reader(const struct access_check *check)
{
    return check->claimed ? &check->claim : NULL;
}

int64_t access_asker(const struct access_check *check)
{
    if (!check->claimed)
        return 0;
    if (check->access == ACCESS_READER && db_rows_count(check->found) == 0)
        return 0;
    return check->claim.user_id;
}
