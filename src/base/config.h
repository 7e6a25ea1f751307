/*
 * The configuration: one file of "key = value" lines, mapdiary.conf(5). One table, in config.c,
 * makes the parser, the defaults, the check and what "mapdiaryd -T" prints.
 */
#ifndef MAPDIARY_BASE_CONFIG_H
#define MAPDIARY_BASE_CONFIG_H

#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

/* The people who may register: the key "registration". */
enum registration_mode { REGISTRATION_CLOSED, REGISTRATION_OPEN, REGISTRATION_INVITED };
/** Their names, ended by NULL. */
extern const char *const config_registration_modes[];

/* Whether mail is encrypted on its way to the mail server: the key "mail_tls". */
enum mail_tls { MAIL_TLS_AUTO, MAIL_TLS_ALWAYS, MAIL_TLS_NEVER };

/* The treatment of signatures: the key "signatures". */
enum signature_mode { SIGNATURES_IGNORE, SIGNATURES_VERIFY, SIGNATURES_REQUIRE };

enum { CONFIG_KEYS_MOST = 64 };

/* The meaning of each is in the table, but for `site`: public_url without the slashes at its end.
 * Durations are in milliseconds, sizes in bytes. Texts belong to the struct. */
struct config {
    char *listen;
    int64_t listen_mode;
    char *listen_group;
    int64_t workers;
    int64_t max_requests;
    int64_t io_timeout;
    int64_t request_timeout;
    int64_t drain_timeout;
    char *spool_directory;
    int64_t spool_size;

    char *public_url;
    char *site;
    char *site_name;
    char *contact;
    char *map_tiles;
    char *map_satellite_tiles;
    char *map_attribution;
    char *map_start;
    char *photo_directory;
    int64_t photo_size;
    int64_t photo_quota;

    char *database;
    char *read_database;
    int64_t max_replica_lag;
    int64_t read_your_writes;
    char *admin_database;
    char *schema_directory;
    int64_t trace_database;

    char *timezone;
    int64_t cache_max_age;
    int64_t reward_per_blog;
    int64_t reward_daily_limit;

    int64_t session_lifetime;
    char *allowed_origins;
    int64_t signatures;
    char *master_key_file;
    int64_t login_failures_per_account;
    int64_t login_failures_per_address;
    int64_t login_throttle_max;
    int64_t logins_per_account;
    int64_t writes_per_minute;
    int64_t first_week_pieces;
    int64_t first_week_comments;
    int64_t first_week_photos;
    char *held_words;
    int64_t password_memory;
    int64_t password_operations;

    int64_t registration;
    char *mail_directory;
    char *mail_language;
    char *mail_from;
    char *mail_server;
    int64_t mail_tls;
    char *mail_ca_file;
    char *mail_credentials;
    char *mail_database;
    char *doctor_mail;
    int64_t mail_retry;
    char *mail_metrics;
    int64_t mails_per_address;

    int64_t log_level;
    int64_t slow_request;

    int lines[CONFIG_KEYS_MOST]; /* where each key stands, in the order of the table; 0: nowhere */
};

/**
 * Reads a file over the defaults. On any error every one of them is logged as "file:line: reason",
 * config is freed and the answer is STATUS_INTERNAL. The caller ends with config_free().
 */
enum status config_read(struct config *config, const char *path) MUST_CHECK;

/**
 * Logs what is wrong with the value of a key as config_read() does, for what only others can tell.
 * Line 0 is the default.
 */
void config_complain(const struct config *config, const char *path, const char *name,
                     const char *reason);

/** The line that has a key; 0 where the file does not have it. */
int config_line(const struct config *config, const char *name);

/** The file to read: the argument if it is not NULL, else $MAPDIARY_CONF, else the one of the
 * installation. */
const char *config_path(const char *argument);

/** Writes every key with its meaning, range and value, as a file that config_read() takes. */
void config_print(const struct config *config, FILE *out);

void config_free(struct config *config);

#endif
