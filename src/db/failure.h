/*
 * Why a connection cannot be made.
 */
#ifndef MAPDIARY_DB_FAILURE_H
#define MAPDIARY_DB_FAILURE_H

/* Of several servers, what tells the most, which comes last here. */
enum db_failure {
    DB_FAILURE_NONE,
    DB_FAILURE_AWAY,     /* no server answers, or none takes connections now */
    DB_FAILURE_FULL,     /* it has no connection left */
    DB_FAILURE_NO_TCP,   /* this process may not use TCP, as in the sandbox of its unit */
    DB_FAILURE_REFUSED,  /* it lets this role not in, or has no such database */
    DB_FAILURE_TIMEZONE, /* it knows no such time zone */
    DB_FAILURE_POOLER,   /* it is one, and shares its sessions out */
    DB_FAILURE_SCHEMA,   /* it has not what the statements need */
};

#endif
