/*
 * The process of one picture, and what becomes of it.
 *
 * Who asked is answered when the process has ended, and not by itself: so nobody writes the files
 * any more that the answer is about, even where the picture took the process over.
 */
#ifndef MAPDIARY_DECODER_PROCESS_H
#define MAPDIARY_DECODER_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

#include "decoder/request.h"

struct process {
    pid_t pid;   /* 0: none */
    int reply;   /* who asked, by whose leaving we learn that nobody waits */
    int result;  /* the process's own struct render_result */
    int64_t end; /* when it is killed, on the monotonic clock */
    bool is_cut; /* it was killed by us */
};

/** Descriptors that the main process may have, which a picture's process closes. */
enum { PROCESS_DESCRIPTORS = 256 };

/** Starts one for a request, whose descriptors it closes, and which is to be done within so many
 * milliseconds. Where that fails, with the reason logged, who asked finds nobody. */
void process_start(struct process *process, struct request *request, int null, int64_t limit);

/** Ends it. */
void process_cut(struct process *process);

/** It has ended with this status of waitpid(2): answers who asked. */
void process_ended(struct process *process, int status);

#endif
