/*
 * The kinds of values that parameters take.
 */
#ifndef MAPDIARY_CLI_VALUE_H
#define MAPDIARY_CLI_VALUE_H

#include "base/buffer.h"
#include "cli/command.h"

/** Reads a text as the parameter's kind says. False where it is none of that kind. */
bool value_read(const struct parameter *parameter, struct arena *arena, const char *text,
                struct value *value);

/** Describes what the parameter takes: "an integer from 1 to 16". */
void value_describe(const struct parameter *parameter, struct buffer *text);

#endif
