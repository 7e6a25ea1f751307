#include "store/account.h"

#include "store/photo_file.h"
#include "store/run.h"
#include "store/statements.h"
#include "store/user.h"

static struct db_value hash_value(const unsigned char *hash)
{
    return hash != NULL ? db_bytes(hash, CRYPTO_DIGEST_SIZE) : db_text(NULL);
}

enum status account_token_make(struct account_token *token)
{
    crypto_token(token->text);
    return crypto_token_hash(token->text, token->hash);
}

/* Written by people ---------------------------------------------------------------------------- */

enum status account_register(struct db_batch *batch, const struct registration *registration,
                             const struct account_token *token, const struct mail_text *mail)
{
    DB_ADD(batch, SQL_ACCOUNT_REGISTER, hash_value(token->hash), db_text(registration->email),
           db_text(registration->name), db_text(registration->password_hash),
           db_text(registration->language), hash_value(registration->invitation),
           db_text(mail->subject), db_text(mail->body));
    return db_batch_run(batch);
}

enum status account_request_password(struct db_batch *batch, const char *email,
                                     const struct account_token *token,
                                     const struct mail_text *mail)
{
    DB_ADD(batch, SQL_ACCOUNT_REQUEST_PASSWORD, hash_value(token->hash), db_text(email),
           db_text(mail->subject), db_text(mail->body));
    return db_batch_run(batch);
}

enum status account_request_address(struct db_batch *batch, const struct account_proof *proof,
                                    const char *email, const struct account_token *token,
                                    const struct mail_text *mail, const struct mail_text *notice)
{
    const struct db_rows *rows = DB_ADD(batch, SQL_ACCOUNT_REQUEST_ADDRESS, hash_value(token->hash),
                                        db_integer(proof->user_id), db_text(proof->password_hash),
                                        db_text(email), db_text(mail->subject), db_text(mail->body),
                                        db_text(notice->subject), db_text(notice->body));
    return store_run(batch, rows, STATUS_UNAVAILABLE);
}

enum status account_find_invitation(struct db_batch *batch, const unsigned char *hash)
{
    return store_run(batch, DB_ADD(batch, SQL_ACCOUNT_FIND_INVITATION, hash_value(hash)),
                     STATUS_TOKEN_INVALID);
}

enum status account_invite(struct db_batch *batch, const unsigned char *hash, int64_t lifetime)
{
    DB_ADD(batch, SQL_ACCOUNT_INVITE, hash_value(hash), db_integer(lifetime));
    return db_batch_run(batch);
}

/* Proofs --------------------------------------------------------------------------------------- */

static enum status find(struct db_batch *batch, const struct db_rows *rows, enum status absent,
                        struct arena *arena, struct account_proof *proof)
{
    enum status status = store_run(batch, rows, absent);
    if (status == STATUS_OK) {
        struct db_row row = db_row(rows, 0);
        proof->user_id = db_read_integer(&row);
        proof->email = db_read_copy(&row, arena);
        proof->password_hash = db_read_copy(&row, arena);
        proof->language = db_read_copy(&row, arena);
    }
    db_batch_reset(batch);
    return status;
}

enum status account_find_token(struct db_batch *batch, const unsigned char *hash,
                               struct arena *arena, struct account_proof *proof)
{
    return find(batch, DB_ADD(batch, SQL_ACCOUNT_FIND_TOKEN, hash_value(hash)),
                STATUS_TOKEN_INVALID, arena, proof);
}

enum status account_find_reset(struct db_batch *batch, const unsigned char *hash,
                               struct arena *arena, struct account_proof *proof)
{
    return find(batch, DB_ADD(batch, SQL_ACCOUNT_FIND_RESET, hash_value(hash)),
                STATUS_TOKEN_INVALID, arena, proof);
}

enum status account_find_asker(struct db_batch *batch, const struct session_claim *claim,
                               struct arena *arena, struct account_proof *proof)
{
    return find(batch,
                DB_ADD(batch, SQL_ACCOUNT_FIND_ASKER, db_integer(claim->user_id),
                       hash_value(claim->token_hash)),
                STATUS_LOGIN_REQUIRED, arena, proof);
}

/* With proof ----------------------------------------------------------------------------------- */

enum status account_confirm(struct db_batch *batch, const unsigned char *token, int64_t *user_id)
{
    return store_run_integer(batch, DB_ADD(batch, SQL_ACCOUNT_CONFIRM, hash_value(token)),
                             STATUS_TOKEN_INVALID, user_id);
}

enum status account_reset_password(struct db_batch *batch, const unsigned char *token,
                                   const char *password_hash, const struct mail_text *notice,
                                   int64_t *user_id)
{
    const struct db_rows *rows =
        DB_ADD(batch, SQL_ACCOUNT_RESET_PASSWORD, hash_value(token), db_text(password_hash),
               db_text(notice->subject), db_text(notice->body));
    return store_run_integer(batch, rows, STATUS_TOKEN_INVALID, user_id);
}

enum status account_change_password(struct db_batch *batch, const struct account_proof *proof,
                                    const char *password_hash, const struct session_claim *kept,
                                    const struct mail_text *notice)
{
    const struct db_rows *rows =
        DB_ADD(batch, SQL_ACCOUNT_CHANGE_PASSWORD, db_integer(proof->user_id),
               db_text(proof->password_hash), db_text(password_hash),
               db_bytes(kept->token_hash, sizeof kept->token_hash), db_text(notice->subject),
               db_text(notice->body));
    return store_run(batch, rows, STATUS_UNAVAILABLE);
}

enum status account_delete(struct db_batch *batch, const struct account_proof *proof,
                           const struct db_rows **published)
{
    user_lock_all_add(batch, proof->user_id);
    *published = published_of_user_add(batch, proof->user_id);
    return store_run(batch,
                     DB_ADD(batch, SQL_ACCOUNT_DELETE, db_integer(proof->user_id),
                            db_text(proof->password_hash)),
                     STATUS_UNAVAILABLE);
}
