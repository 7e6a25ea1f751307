/*
 * Which passwords may be chosen (NIST SP 800-63B, section 5.1.1.2): no rules of composition, but
 * none that is short, and none that everybody tries first.
 */
#ifndef MAPDIARY_AUTH_STRENGTH_H
#define MAPDIARY_AUTH_STRENGTH_H

#include "base/status.h"

/* In bytes. */
enum { PASSWORD_LEAST = 8, PASSWORD_LONGEST = 1024 };

/** STATUS_PASSWORD_TOO_WEAK for one that is short or common, in whatever case;
 * STATUS_PARAMETER_INVALID for one that is too long. */
enum status strength_check(const char *password) MUST_CHECK;

#endif
