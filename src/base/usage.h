/*
 * What every program answers without doing any work.
 */
#ifndef MAPDIARY_BASE_USAGE_H
#define MAPDIARY_BASE_USAGE_H

#include <stdbool.h>

/** Answers 'h' with the usage, 'V' with the version, and '?', a wrong call, with the usage among
 * the errors. False where the mode is none of these; else the status is the program's (sysexits.h).
 */
bool usage_answer(int mode, const char *program, const char *usage, int *status);

#endif
