#include "permit/admission.h"

#include <stdio.h>

#include "base/clock.h"
#include "permit/network.h"

void admission_resume(struct admission *admission, const struct asker *asker,
                      const struct permit *permit)
{
    admission->asker = *asker;
    admission->is_late = permit->serial == 0;
    if (permits_take_up(admission->permits, admission->worker, permit))
        admission->permit = *permit;
}

static uint64_t name_network(const struct admission *admission, const char *address,
                             enum network_width width)
{
    char network[NETWORK_SIZE];
    network_name(address, width, network);
    return permits_name(admission->permits, network);
}

static uint64_t name_session(const struct admission *admission, const char *user, const char *token)
{
    char session[128];
    snprintf(session, sizeof session, "%.20s %.64s", user, token);
    return permits_name(admission->permits, session);
}

/* A request that has waited keeps the name that it waited by. */
void admission_begin(struct admission *admission, const char *address)
{
    struct asker *asker = &admission->asker;
    admission->begun = clock_microseconds();
    asker->network = name_network(admission, address, NETWORK_CLIENT);
    asker->site = name_network(admission, address, NETWORK_SITE);
}

bool admission_know(struct admission *admission, const char *user, const char *token)
{
    if (!permits_remembers(admission->permits, name_session(admission, user, token)))
        return false;
    admission->asker.account = permits_name(admission->permits, user);
    return true;
}

static bool take(struct admission *admission, bool is_forced)
{
    return permits_take(admission->permits, admission->worker, &admission->asker, is_forced,
                        &admission->permit);
}

static enum status refuse(struct admission *admission)
{
    admission->must_wait = !admission->is_late;
    if (admission->is_late)
        permits_count_refused(admission->permits, admission->asker.class);
    return STATUS_UNAVAILABLE;
}

/* A service that ends has no waiter, and no new requests that would need the workers. */
enum status admission_take(struct admission *admission, enum work_class class)
{
    struct asker *asker = &admission->asker;
    bool is_held = admission->permit.serial != 0;
    if (class == WORK_CHEAP || (is_held && asker->class >= class))
        return STATUS_OK;
    permits_give(admission->permits, &admission->permit);
    asker->class = class;
    bool is_forced = !admission->may_wait && !admission->is_late;
    return take(admission, is_forced) ? STATUS_OK : refuse(admission);
}

enum status admission_take_password(struct admission *admission, const char *account, bool is_known)
{
    struct asker *asker = &admission->asker;
    if (admission->permit.serial == 0 || asker->class != WORK_PASSWORD) {
        asker->account = is_known ? 0 : permits_name(admission->permits, account);
        asker->is_known = is_known;
    }
    return admission_take(admission, WORK_PASSWORD);
}

static void charge(struct admission *admission)
{
    int64_t now = clock_microseconds();
    permits_charge(admission->permits, &admission->asker, now - admission->begun);
    admission->begun = now;
}

void admission_end_password(struct admission *admission)
{
    if (admission->asker.class != WORK_PASSWORD)
        return;
    charge(admission);
    permits_change(admission->permits, &admission->permit, WORK_WRITE);
    admission->asker.class = WORK_WRITE;
}

void admission_prove(struct admission *admission, const char *user, const char *token)
{
    permits_remember(admission->permits, name_session(admission, user, token));
}

void admission_end(struct admission *admission)
{
    charge(admission);
    permits_give(admission->permits, &admission->permit);
    admission->asker = (struct asker){.class = WORK_CHEAP};
    admission->is_late = admission->must_wait = false;
}
