/*
 * What has to be there before the schema: the three roles and the database. For a connection of the
 * superuser to any other database.
 */
#ifndef MAPDIARY_STORE_CLUSTER_H
#define MAPDIARY_STORE_CLUSTER_H

#include <stdbool.h>

#include "base/status.h"
#include "db/batch.h"

#define CLUSTER_DATABASE "mapdiary"     /* if the configuration names none */
#define CLUSTER_SERVICE_ROLE "mapdiary" /* reads and writes rows */
#define CLUSTER_OWNER_ROLE "mapdiary_owner"
#define CLUSTER_MAIL_ROLE "mapdiary_mail"       /* sees the mails to be sent */
#define CLUSTER_VISITOR_ROLE "mapdiary_visitor" /* as which the service serves requests */

/** Statements of this file, ended by NULL. */
extern const struct db_statement *const cluster_registry[];

/* What of it is there. */
struct cluster {
    bool superuser; /* whoever asks is one */
    bool owner_role;
    bool service_role;
    bool mail_role;
    bool visitor_role; /* and the service's is a member of it */
    bool database;
    bool fits; /* the database: its encoding, and its owner */
};

enum status cluster_look(struct db_batch *batch, const char *database,
                         struct cluster *cluster) MUST_CHECK;
enum status cluster_create_owner_role(struct db *db) MUST_CHECK;
enum status cluster_create_service_role(struct db *db) MUST_CHECK;
enum status cluster_create_visitor_role(struct db *db) MUST_CHECK;
enum status cluster_create_mail_role(struct db *db) MUST_CHECK;
enum status cluster_create_database(struct db *db, const char *database) MUST_CHECK;

/** Gives the service's role what the migrations have given it, which is gone if the role is new to
 * the schema; for a connection of the owner. STATUS_UNAVAILABLE if another transaction keeps a
 * lock for more than a second; nothing was changed then. */
enum status cluster_grant(struct db *db) MUST_CHECK;

/* What the service's connection can do, and what time its server has. */
struct cluster_session {
    const char *role; /* until db_batch_reset() */
    const char *version;
    bool superuser;
    bool schema;  /* is there */
    bool visits;  /* may become the visitor */
    bool owns;    /* may do more with the schema than read and write rows */
    int64_t time; /* seconds since the epoch */
};

enum status cluster_look_at_session(struct db_batch *batch,
                                    struct cluster_session *session) MUST_CHECK;

/* How many connections there may be, and how many are taken. */
struct cluster_room {
    int64_t most;   /* of the role, but those that are kept for superusers */
    int64_t others; /* that are taken, but those of the role from this machine */
};

enum status cluster_look_at_room(struct db_batch *batch, struct cluster_room *room) MUST_CHECK;

/** The time zone that PostgreSQL knows, by area and place, and whose name is the nearest to the
 * place of this one, until db_batch_reset(); NULL where none is near. */
enum status cluster_find_timezone(struct db_batch *batch, const char *like,
                                  const char **name) MUST_CHECK;

/** The role that the schema belongs to, until db_batch_reset(); NULL if there is no schema. */
enum status cluster_find_schema_owner(struct db_batch *batch, const char **role) MUST_CHECK;

#endif
