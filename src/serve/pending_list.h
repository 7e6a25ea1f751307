/*
 * The pending connections that one process waits for, until their requests are whole, or have a
 * permit, or their answers are sent.
 */
#ifndef MAPDIARY_SERVE_PENDING_LIST_H
#define MAPDIARY_SERVE_PENDING_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serve/pending.h"

/* Connections of each kind; requests have up to INPUT_MEMORY_MOST each in memory. */
enum { PENDING_LIST_MOST = 512 };

struct pending_list {
    int ready[PENDING_KINDS]; /* each is readable, for poll(2) and epoll(7), while there is
                                 something to do for one of the kind */
    const struct input_options *options;
    size_t most; /* of each kind */
    size_t counts[PENDING_KINDS];
    struct permits *permits; /* that requests wait for */
    bool is_awaiting;        /* some waited when the permits were looked at */
    struct pending
        connections[PENDING_KINDS * PENDING_LIST_MOST]; /* in the order in which they came */
};

/** It takes at most so many connections of each kind. False, with errno set, where the system gives
 * no descriptor. */
bool pending_list_open(struct pending_list *list, const struct input_options *options,
                       struct permits *permits, size_t most);

/** Takes in a connection, which is the list's from then on. Where there is no room, the slowest of
 * its kind is closed; of the requests that wait for a permit, the last that would get one is out of
 * time. */
void pending_list_add(struct pending_list *list, const struct pending *pending);

/** Reads on, from one connection that has something to say. True where its request is whole with
 * that: it is the caller's then. */
bool pending_list_take(struct pending_list *list, struct pending *pending);

/** Takes out a request that waits for a permit: one that is granted a permit now, with the permit,
 * or one whose time is up, without. True where there is one: it is the caller's then. */
bool pending_list_take_permit(struct pending_list *list, struct pending *pending);

/** Closes a connection that the web server has closed while its request waited for a permit. */
void pending_list_drop(struct pending_list *list);

/** Sends on, to one connection that has room for more of its answer. */
void pending_list_send(struct pending_list *list);

/** Closes the slowest of those that have something in the spool, while that is nearly full. */
void pending_list_thin(struct pending_list *list);

/** Closes those whose time is up, but for those that wait for a permit. */
void pending_list_expire(struct pending_list *list);

/** Milliseconds until there is something to do without being asked; -1 for an empty list. */
int64_t pending_list_wants(struct pending_list *list);

/** Those who have said nothing by then get no more than so many milliseconds. */
void pending_list_hurry_silent(struct pending_list *list, int64_t patience);

/** True where nobody waits. */
bool pending_list_is_empty(const struct pending_list *list);

/** Closes all that are left, and the list itself. */
void pending_list_close(struct pending_list *list);

#endif
