/*
 * Who may ask. An operation names its access in the operation table; an exchange begins the check
 * with it, as the first statement of the operation's own batch, so that check and work are one
 * round trip and, for a write, one transaction.
 */
#ifndef MAPDIARY_AUTH_ACCESS_H
#define MAPDIARY_AUTH_ACCESS_H

#include <stdbool.h>

#include "auth/candidate.h"
#include "store/session.h"

enum access {
    ACCESS_ANYONE,  /* who asks makes no difference */
    ACCESS_READER,  /* anybody, but the answer may depend on who it is */
    ACCESS_SESSION, /* a login is required */
    ACCESS_KNOWN,   /* the same for a read, which locks nothing */
    ACCESS_LOGOUT,  /* a login is required, and ends with this */
    ACCESS_LEAVING  /* a login is required, and may end with this, as its user may */
};

/* The check of one request; it must live until the batch has run. */
struct access_check {
    enum access access;
    bool
        claimed; /* there are cookies that may be a session's: of one user, but for ACCESS_LOGOUT */
    struct session_claim claim;   /* the first of them */
    const char *id, *token;       /* its cookies */
    struct candidates candidates; /* all of them; of several, those that are sessions, if any is */
    const struct db_rows *found;  /* for ACCESS_READER */
};

/**
 * Begins a check with the cookies of a request, whose texts must live as long. Where more than one
 * pair of them may be a session, they are looked up beside the batch, which has not run; one alone
 * is left to access_add(). STATUS_LOGIN_REQUIRED where the access requires a login and they cannot
 * be a session's, or are sessions of two users: these may only end both. Else what came of the
 * look.
 */
enum status access_begin(struct access_check *check, enum access access,
                         const struct session_cookies *cookies,
                         const struct db_batch *batch) MUST_CHECK;

/** Makes this one of the candidates the session that is claimed. */
void access_claim(struct access_check *check, const struct candidate *candidate);

/** The session is only looked at, and does not end: the operation that would end it is refused. */
void access_keep_session(struct access_check *check);

/** Adds the check to the batch: that there is no such session comes to light when it runs. */
void access_add(struct access_check *check, struct db_batch *batch);

/** True where the session, or its user, may be gone when the same request comes once more. */
bool access_may_end(enum access access);

/** True where the access requires a login. */
bool access_is_required(enum access access);

/** What a read is told of who asks, before the batch has run; NULL: nobody. */
const struct session_claim *access_reader(const struct access_check *check);

/** The user who asks; 0 for nobody. Only after the batch has run with STATUS_OK, unless a login was
 * required. */
int64_t access_asker(const struct access_check *check);

#endif
