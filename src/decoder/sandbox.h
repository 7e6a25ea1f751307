/*
 * What the decoder may ask of the system: as good as nothing. What is not in the list fails with
 * EPERM, which libraries take for a file that is not there.
 */
#ifndef MAPDIARY_DECODER_SANDBOX_H
#define MAPDIARY_DECODER_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

/** Makes both filters. False, with the reason logged, where the system has none. */
bool sandbox_open(void);

/** For good, and for all processes that this one starts: no file is opened, nothing is connected to
 * or executed, no memory becomes code. False, with the reason logged, where that failed. */
bool sandbox_enter(void);

/** For the process of a picture, which is in that one: reads, writes and computes, and starts no
 * process, signals none, and neither sends nor receives. */
bool sandbox_enter_picture(void);

/** Closes all descriptors from that one on, and keeps others of the same user out. */
bool sandbox_forget(int first);

/** The limits of a picture: of its memory, processor time, files. */
bool sandbox_limit_picture(void);

/** Ends the process by SIGPROF or SIGALRM when it has taken the time that a picture of so many
 * pixels may take from here on. sandbox_limit_picture() bounds a process that stops these clocks.
 */
bool sandbox_limit_time(int64_t pixels);

#endif
