#include "auth/hashing.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <sodium.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/recent.h"
#include "base/slots.h"

enum {
    WAIT_MOST = 2000, /* milliseconds */
    WAIT_STEP = 5,
    PERMITS_MOST = 256, /* a quarter of the workers that there may be, and half of them */
    WAITING_MOST = 512,
    NAME_MOST = 512, /* bytes of a name that count */
    AHEAD = 2,       /* that a client is before others where it is known */
    NEIGHBOURS = 16, /* of which one that had something counts as having had it oneself */
};

/* Of base/slots.h: who changes the queue, and who has a permit. The kernel takes them back from a
 * process that ends. */
enum { GUARD, FIRST_PERMIT };

/* Somebody who waits. Whoever was killed meanwhile does so until the time is over. */
struct waiting {
    int64_t until; /* 0: nobody */
    double share;  /* of the network, when it came: the least is next */
    uint64_t number;
    uint64_t account;
};

struct hashing_queue {
    int slots;
    unsigned char key[crypto_shorthash_KEYBYTES]; /* so that nobody knows whose cells are shared */
    uint64_t came;
    struct recent networks;
    struct waiting waiting[WAITING_MOST];
    uint64_t accounts[PERMITS_MOST]; /* of those who have the permits */
};

struct hashing_queue *hashing_open(void)
{
    int slots = slots_open();
    struct hashing_queue *queue =
        mmap(NULL, sizeof *queue, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (slots < 0 || queue == MAP_FAILED) {
        log_error("the queue of logins: %s", strerror(errno));
        return NULL;
    }
    queue->slots = slots;
    randombytes_buf(queue->key, sizeof queue->key);
    return queue;
}

void hashing_close(struct hashing_queue **queue)
{
    close((*queue)->slots);
    munmap(*queue, sizeof **queue);
    *queue = NULL;
}

/* How many may hash, and how many may wait for that. */
struct plan {
    int permits, waiting;
};

static struct plan plan_for(int64_t workers)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t most = workers / 4 < processors / 2 ? workers / 4 : processors / 2;
    int permits = most > 1 ? (int)most : 1, half = (int)(workers / 2);
    return (struct plan){permits, half > permits ? half - permits : 0};
}

/* Without regard to case, as email addresses are. */
static uint64_t hash(const struct hashing_queue *queue, const char *name)
{
    char folded[NAME_MOST];
    uint64_t value;
    size_t length = 0;
    for (; length < sizeof folded && name[length] != '\0'; length++)
        folded[length] = (char)tolower((unsigned char)name[length]);
    crypto_shorthash((unsigned char *)&value, (unsigned char *)folded, length, queue->key);
    return value;
}

/* How often an account is tried at the moment. */
static int tried(const struct hashing_queue *queue, const struct plan *plan, uint64_t account,
                 int64_t now)
{
    int count = 0;
    for (int i = 0; i < WAITING_MOST; i++)
        count += queue->waiting[i].until > now && queue->waiting[i].account == account;
    for (int i = 0; i < plan->permits; i++)
        count += queue->accounts[i] == account && slots_is_taken(queue->slots, FIRST_PERMIT + i);
    return count;
}

/* A place in the queue, which is somebody else's once the time is over. */
struct position {
    struct waiting *at;
    uint64_t number;
};

/* What a client and its neighbours had of late. */
static double lately(struct hashing_queue *queue, const struct hashing_client *client, int64_t now)
{
    return recent_count(&queue->networks, hash(queue, client->network), now) +
           recent_count(&queue->networks, hash(queue, client->site), now) / NEIGHBOURS;
}

static void note(struct hashing_queue *queue, const struct hashing_client *client, int64_t now)
{
    recent_add(&queue->networks, hash(queue, client->network), now);
    recent_add(&queue->networks, hash(queue, client->site), now);
}

static struct position join(struct hashing_queue *queue, const struct plan *plan,
                            const struct hashing_client *client, int64_t now)
{
    uint64_t account = hash(queue, client->account);
    double share = lately(queue, client, now);
    share = client->is_known ? share / 2 - AHEAD : share + tried(queue, plan, account, now);
    for (struct waiting *at = queue->waiting; at < queue->waiting + WAITING_MOST; at++)
        if (at->until <= now) {
            *at = (struct waiting){now + WAIT_MOST, share, ++queue->came, account};
            return (struct position){at, at->number};
        }
    return (struct position){NULL, 0};
}

static bool is_before(const struct waiting *one, const struct waiting *other)
{
    return one->share < other->share || (one->share == other->share && one->number < other->number);
}

static int ahead_of(const struct hashing_queue *queue, const struct waiting *own, int64_t now)
{
    int count = 0;
    for (int i = 0; i < WAITING_MOST; i++)
        count += queue->waiting[i].until > now && is_before(&queue->waiting[i], own);
    return count;
}

static bool take_permit(struct hashing_queue *queue, const struct plan *plan, uint64_t account)
{
    int permit = slots_take(queue->slots, FIRST_PERMIT, plan->permits);
    if (permit < FIRST_PERMIT)
        return false;
    queue->accounts[permit - FIRST_PERMIT] = account;
    return true;
}

/* A permit that nobody has yet is for one of those who wait. */
static bool is_full(const struct hashing_queue *queue, const struct plan *plan, int ahead)
{
    int room = plan->waiting;
    for (int i = 0; i < plan->permits && ahead >= room; i++)
        room += !slots_is_taken(queue->slots, FIRST_PERMIT + i);
    return ahead >= room;
}

enum turn { TURN_LATER, TURN_NOW, TURN_NEVER };

static enum turn turn_of(struct hashing_queue *queue, const struct plan *plan,
                         const struct position *position)
{
    struct waiting *own = position->at;
    int64_t now = clock_milliseconds();
    if (own == NULL || own->number != position->number || own->until <= now)
        return TURN_NEVER;
    int ahead = ahead_of(queue, own, now);
    enum turn turn = TURN_LATER;
    if (ahead == 0 && take_permit(queue, plan, own->account))
        turn = TURN_NOW;
    else if (is_full(queue, plan, ahead))
        turn = TURN_NEVER;
    if (turn != TURN_LATER)
        own->until = 0;
    return turn;
}

/* Whoever finds no place in the queue has had nothing, and that does not count. */
static enum turn come(struct hashing_queue *queue, const struct plan *plan,
                      const struct hashing_client *client, struct position *position)
{
    int64_t now = clock_milliseconds();
    *position = join(queue, plan, client, now);
    enum turn turn = turn_of(queue, plan, position);
    if (turn != TURN_NEVER)
        note(queue, client, now);
    return turn;
}

enum status hashing_enter(const struct hashing *hashing, const struct hashing_client *client)
{
    struct hashing_queue *queue = hashing->queue;
    const struct plan plan = plan_for(hashing->workers);
    struct position position;
    slots_enter(queue->slots, GUARD);
    enum turn turn = come(queue, &plan, client, &position);
    slots_leave(queue->slots, GUARD);
    while (turn == TURN_LATER) {
        poll(NULL, 0, WAIT_STEP);
        slots_enter(queue->slots, GUARD);
        turn = turn_of(queue, &plan, &position);
        slots_leave(queue->slots, GUARD);
    }
    return turn == TURN_NOW ? STATUS_OK : STATUS_UNAVAILABLE;
}

void hashing_leave(const struct hashing *hashing)
{
    slots_leave_all(hashing->queue->slots);
}
