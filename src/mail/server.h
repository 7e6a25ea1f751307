/*
 * The mail server of the configuration: the keys "mail_server" and "mail_tls".
 */
#ifndef MAPDIARY_MAIL_SERVER_H
#define MAPDIARY_MAIL_SERVER_H

#include <stdbool.h>

/** What the address has to be, for a complaint. */
#define SERVER_FORM "not smtp://HOST, smtp://HOST:PORT or smtps://HOST"

/** True for smtp:// or smtps://, a host, and nothing else but a port. */
bool server_is_address(const char *url);

/** True where it is on this machine: localhost, 127.0.0.1 or ::1. */
bool server_is_local(const char *url);

#endif
