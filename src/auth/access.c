#include "auth/access.h"

#include "base/text.h"

bool access_read_claim(const char *id, const char *token, struct session_claim *claim)
{
    return id != NULL && token != NULL && text_to_integer(id, &claim->user_id) &&
           claim->user_id > 0 && crypto_token_hash(token, claim->token_hash) == STATUS_OK;
}

bool access_is_required(enum access access)
{
    return access >= ACCESS_SESSION;
}

bool access_may_end(enum access access)
{
    return access == ACCESS_LOGOUT || access == ACCESS_LEAVING;
}

enum status access_begin(struct access_check *check, enum access access, const char *id,
                         const char *token)
{
    *check = (struct access_check){.access = access};
    check->claimed = access != ACCESS_ANYONE && access_read_claim(id, token, &check->claim);
    return access_is_required(access) && !check->claimed ? STATUS_LOGIN_REQUIRED : STATUS_OK;
}

void access_keep_session(struct access_check *check)
{
    if (check->access == ACCESS_LOGOUT)
        check->access = ACCESS_SESSION;
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
        session_end_add(batch, &check->claim);
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
