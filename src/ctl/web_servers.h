/*
 * The web servers of this machine, and where they listen, as /proc has it: proc(5).
 */
#ifndef MAPDIARY_CTL_WEB_SERVERS_H
#define MAPDIARY_CTL_WEB_SERVERS_H

#include <stdbool.h>
#include <stddef.h>

enum web_server { WEB_SERVER_NONE, WEB_SERVER_NGINX, WEB_SERVER_APACHE };

enum { WEB_ADDRESSES_MOST = 16 };

struct web_address {
    enum web_server server;
    char name[64]; /* as in a URL: "127.0.0.1:80" */
};

/** Finds where they listen, as far as the caller may see it: root sees all. Answers how many
 * addresses there are. */
size_t web_servers_find(struct web_address addresses[static WEB_ADDRESSES_MOST]);

/** The one that is installed, whether it runs or not: of two, the one that is set up for the map
 * diary. */
enum web_server web_servers_installed(void);

#endif
