/*
 * The admission of the request that a worker has. The request takes a permit before its dear part,
 * and gives the permit back when it has ended.
 *
 * A request that finds no permit is abandoned before it has written anything. It goes to the
 * waiter, and begins again when it comes back with a permit, or without one when its time is up.
 */
#ifndef MAPDIARY_PERMIT_ADMISSION_H
#define MAPDIARY_PERMIT_ADMISSION_H

#include "base/status.h"
#include "permit/permits.h"

struct admission {
    struct permits *permits;
    size_t worker; /* its number */
    bool may_wait; /* there is a waiter */

    struct asker asker;
    struct permit permit;
    bool is_late;   /* the request has waited for as long as it may */
    bool must_wait; /* for a permit of the asker's class */
    int64_t begun;  /* microseconds */
};

/** Begins the admission of a request that has waited: with the permit that it was granted, or with
 * an empty one. */
void admission_resume(struct admission *admission, const struct asker *asker,
                      const struct permit *permit);

/** Names the sender by the client's address. */
void admission_begin(struct admission *admission, const char *address);

/** Names the sender by the account of a session, too, which two cookies are. False, and nothing is
 * changed, where admission_prove() was not called for it before. */
bool admission_know(struct admission *admission, const char *user, const char *token);

/**
 * Takes a permit of the class, unless the request holds one of this class or of a later one.
 * STATUS_UNAVAILABLE where none is free: the request goes to the waiter if must_wait is set, and is
 * refused otherwise.
 */
enum status admission_take(struct admission *admission, enum work_class class) MUST_CHECK;

/** The same for hashing the password of an account. */
enum status admission_take_password(struct admission *admission, const char *account,
                                    bool is_known) MUST_CHECK;

/** The hashing is done: the request goes on as a write, and others hash. */
void admission_end_password(struct admission *admission);

/** Notes that this session is good, which the request has shown. */
void admission_prove(struct admission *admission, const char *user, const char *token);

/** The request has ended, or goes to the waiter. Its time is charged. */
void admission_end(struct admission *admission);

#endif
