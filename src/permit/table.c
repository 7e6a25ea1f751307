#include "permit/table.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

enum { NAME_MOST = 512 }; /* bytes of a name that count */

/* A picture may keep a worker for several seconds, and an upload is worth a wait. */
static const struct class_limit {
    const char *name;
    size_t quarters; /* of the workers; 0: the class has no limit */
    int64_t patience;
} limits[WORK_CLASSES] = {
    [WORK_CHEAP] = {"cheap", 0, 5000},       [WORK_WRITE] = {"write", 0, 5000},
    [WORK_DEAR] = {"dear", 2, 20000},        [WORK_FILE] = {"file", 1, 10000},
    [WORK_PASSWORD] = {"password", 1, 5000},
};
enum { QUARTERS_TOGETHER = 3, QUARTERS_OF_WRITER = 2 };

/* Opening -------------------------------------------------------------------------------------- */

static bool open_guard(pthread_mutex_t *guard)
{
    pthread_mutexattr_t kind;
    bool is_open = pthread_mutexattr_init(&kind) == 0 &&
                   pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED) == 0 &&
                   pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST) == 0 &&
                   pthread_mutex_init(guard, &kind) == 0;
    pthread_mutexattr_destroy(&kind);
    return is_open;
}

struct permits *permits_new(void)
{
    struct permits *permits =
        mmap(NULL, sizeof *permits, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (permits == MAP_FAILED || event < 0 || !open_guard(&permits->guard)) {
        log_error("permits: %s", strerror(errno));
        return NULL;
    }
    permits->event = event;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    permits->half_of_processors = processors >= 4 ? (size_t)processors / 2 : 1;
    randombytes_buf(permits->key, sizeof permits->key);
    return permits;
}

void permits_free(struct permits **permits)
{
    if (*permits == NULL)
        return;
    close((*permits)->event);
    munmap(*permits, sizeof **permits);
    *permits = NULL;
}

void permits_set_workers(struct permits *permits, size_t workers)
{
    atomic_store(&permits->workers, workers);
}

static bool is_limited(enum work_class class)
{
    return limits[class].quarters > 0;
}

static void count_held(struct permits *permits, enum work_class class)
{
    permits->limited += is_limited(class);
    atomic_fetch_add(&permits->figures[class].held, 1);
}

/* Counts anew after a process died while it changed the table. */
static void recount(struct permits *permits)
{
    permits->limited = permits->used = 0;
    for (size_t i = 0; i < WORK_CLASSES; i++)
        atomic_store(&permits->figures[i].held, 0);
    for (size_t i = 0; i < SLOTS; i++)
        if (permits->slots[i].serial != 0) {
            count_held(permits, permits->slots[i].asker.class);
            permits->used = i + 1;
        }
}

void permits_enter(struct permits *permits)
{
    if (pthread_mutex_lock(&permits->guard) != EOWNERDEAD)
        return;
    recount(permits);
    (void)pthread_mutex_consistent(&permits->guard);
}

void permits_leave(struct permits *permits)
{
    pthread_mutex_unlock(&permits->guard);
}

/* Names ---------------------------------------------------------------------------------------- */

uint64_t permits_name(const struct permits *permits, const char *text)
{
    char folded[NAME_MOST];
    uint64_t name;
    size_t length = 0;
    for (; length < sizeof folded && text[length] != '\0'; length++)
        folded[length] = (char)tolower((unsigned char)text[length]);
    crypto_shorthash((unsigned char *)&name, (unsigned char *)folded, length, permits->key);
    return name;
}

bool permits_remembers(const struct permits *permits, uint64_t name)
{
    return name != 0 && atomic_load(&permits->names[name % NAMES]) == name;
}

void permits_remember(struct permits *permits, uint64_t name)
{
    atomic_store(&permits->names[name % NAMES], name);
}

/* Limits --------------------------------------------------------------------------------------- */

static size_t part(const struct permits *permits, size_t quarters)
{
    size_t most = atomic_load(&permits->workers) * quarters / 4;
    return most > 0 ? most : 1;
}

/* A hash keeps a processor busy for a tenth of a second. */
static size_t most_passwords(const struct permits *permits)
{
    size_t most = part(permits, limits[WORK_PASSWORD].quarters);
    return most <= permits->half_of_processors ? most : permits->half_of_processors;
}

static size_t most_of(const struct permits *permits, enum work_class class)
{
    return class == WORK_PASSWORD ? most_passwords(permits) : part(permits, limits[class].quarters);
}

static bool class_has_room(const struct permits *permits, enum work_class class)
{
    return atomic_load(&permits->figures[class].held) < most_of(permits, class);
}

bool permits_are_of_one(const struct asker *one, const struct asker *other)
{
    return (one->network != 0 && one->network == other->network) ||
           (one->account != 0 && one->account == other->account);
}

size_t permits_held_by(const struct permits *permits, const struct asker *asker)
{
    size_t count = 0;
    for (size_t i = 0; i < permits->used; i++) {
        const struct slot *slot = &permits->slots[i];
        count += slot->serial != 0 && slot->asker.class == asker->class &&
                 permits_are_of_one(&slot->asker, asker);
    }
    return count;
}

/* Whoever has not proved an account cannot write, and so is soon answered. */
static bool writer_has_room(const struct permits *permits, const struct asker *asker)
{
    const struct asker writer = {.class = WORK_WRITE, .account = asker->account};
    return asker->account == 0 ||
           permits_held_by(permits, &writer) < part(permits, QUARTERS_OF_WRITER);
}

bool permits_are_crowded(const struct permits *permits, enum work_class class)
{
    return is_limited(class) && class_has_room(permits, class) &&
           permits->limited >= part(permits, QUARTERS_TOGETHER);
}

bool permits_have_room(const struct permits *permits, const struct asker *asker)
{
    if (asker->class == WORK_WRITE)
        return writer_has_room(permits, asker);
    return !is_limited(asker->class) || (class_has_room(permits, asker->class) &&
                                         permits->limited < part(permits, QUARTERS_TOGETHER));
}

int64_t permits_patience(enum work_class class)
{
    return limits[class].patience;
}

/* Holding -------------------------------------------------------------------------------------- */

static void count_given(struct permits *permits, enum work_class class)
{
    permits->limited -= is_limited(class);
    atomic_fetch_sub(&permits->figures[class].held, 1);
}

/* There always is a free slot: a worker holds one permit, and a grant becomes void. */
struct slot *permits_hold(struct permits *permits, const struct asker *asker, struct permit *permit)
{
    size_t i = 0;
    while (i + 1 < SLOTS && permits->slots[i].serial != 0)
        i++;
    permits->used = i >= permits->used ? i + 1 : permits->used;
    permits->slots[i] =
        (struct slot){.asker = *asker, .serial = ++permits->serial, .since = clock_milliseconds()};
    *permit = (struct permit){i, permits->serial};
    count_held(permits, asker->class);
    return &permits->slots[i];
}

void permits_let_go(struct permits *permits, struct slot *slot)
{
    slot->serial = 0;
    count_given(permits, slot->asker.class);
}

/* A request waits behind those that wait for the same permits. */
static bool is_awaited(const struct permits *permits, enum work_class class)
{
    return is_limited(class) &&
           (permits->is_crowded || atomic_load(&permits->figures[class].waiting) > 0);
}

bool permits_take(struct permits *permits, size_t worker, const struct asker *asker, bool is_forced,
                  struct permit *permit)
{
    permits_enter(permits);
    bool is_free =
        is_forced || (permits_have_room(permits, asker) && !is_awaited(permits, asker->class));
    if (is_free)
        permits_hold(permits, asker, permit)->worker = worker;
    permits_leave(permits);
    return is_free;
}

static struct slot *slot_of(struct permits *permits, const struct permit *permit)
{
    struct slot *slot = &permits->slots[permit->slot];
    return permit->serial != 0 && slot->serial == permit->serial ? slot : NULL;
}

bool permits_take_up(struct permits *permits, size_t worker, const struct permit *permit)
{
    permits_enter(permits);
    struct slot *slot = slot_of(permits, permit);
    if (slot != NULL) {
        slot->is_granted = false;
        slot->worker = worker;
    }
    permits_leave(permits);
    return slot != NULL;
}

static void wake_waiter(const struct permits *permits, bool is_awaited)
{
    if (is_awaited)
        (void)eventfd_write(permits->event, 1);
}

void permits_give(struct permits *permits, struct permit *permit)
{
    if (permit->serial == 0)
        return;
    permits_enter(permits);
    struct slot *slot = slot_of(permits, permit);
    if (slot != NULL)
        permits_let_go(permits, slot);
    bool is_awaited = permits->is_awaited;
    permits_leave(permits);
    *permit = (struct permit){0};
    wake_waiter(permits, is_awaited);
}

void permits_give_of_worker(struct permits *permits, size_t worker)
{
    permits_enter(permits);
    for (size_t i = 0; i < permits->used; i++) {
        struct slot *slot = &permits->slots[i];
        if (slot->serial != 0 && !slot->is_granted && slot->worker == worker)
            permits_let_go(permits, slot);
    }
    bool is_awaited = permits->is_awaited;
    permits_leave(permits);
    wake_waiter(permits, is_awaited);
}

void permits_change(struct permits *permits, const struct permit *permit, enum work_class class)
{
    permits_enter(permits);
    struct slot *slot = slot_of(permits, permit);
    if (slot != NULL) {
        count_given(permits, slot->asker.class);
        slot->asker.class = class;
        count_held(permits, class);
    }
    bool is_awaited = permits->is_awaited;
    permits_leave(permits);
    wake_waiter(permits, is_awaited);
}

/* The account whose password is tried is not charged for the trials. */
void permits_charge(struct permits *permits, const struct asker *asker, int64_t microseconds)
{
    const uint64_t names[] = {asker->network, asker->site,
                              asker->class != WORK_PASSWORD ? asker->account : 0};
    int64_t now = clock_milliseconds();
    permits_enter(permits);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] != 0)
            recent_add(&permits->times, names[i], (double)microseconds / 1000, now);
    permits_leave(permits);
    atomic_fetch_add(&permits->figures[asker->class].microseconds, (unsigned long)microseconds);
}

/* Figures -------------------------------------------------------------------------------------- */

int permits_event(const struct permits *permits)
{
    return permits->event;
}

void permits_count_refused(struct permits *permits, enum work_class class)
{
    atomic_fetch_add(&permits->figures[class].refused, 1);
}

struct permits_figures permits_look(const struct permits *permits, enum work_class class)
{
    return (struct permits_figures){
        limits[class].name,
        (double)atomic_load(&permits->figures[class].held),
        (double)atomic_load(&permits->figures[class].waiting),
        (double)atomic_load(&permits->figures[class].refused),
        (double)atomic_load(&permits->figures[class].microseconds) / 1e6,
    };
}
