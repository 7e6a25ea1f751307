/*
 * What only whoever sits there can say.
 */
#ifndef MAPDIARY_CLI_PROMPT_H
#define MAPDIARY_CLI_PROMPT_H

#include "base/status.h"

/**
 * Reads a password, twice and without echo where standard input is a terminal, else as one line of
 * it. STATUS_PARAMETER_INVALID, logged, where it is none. End with prompt_wipe() either way.
 */
enum status prompt_password(char **password) MUST_CHECK;

/** A line from whoever sits at the terminal, for the caller to free; NULL where nobody does, or
 * what was typed ahead is meant for others. */
char *prompt_line(const char *question);

/** Frees a password, of which nothing stays in memory; NULL is none. */
void prompt_wipe(char *password);

#endif
