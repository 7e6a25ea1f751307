/*
 * The doctor's look at the file of streets beside the page, as browsers read that: in parts.
 */
#include <string.h>

#include "base/clock.h"
#include "ctl/probe.h"
#include "ctl/visit.h"
#include "settings/settings.h"

static const char *advise(const struct visit *visit, const char *name)
{
    return visit_advise(
        visit,
        "place a PMTiles file, version 3, there: sudo install -D -m 644 %s " MAPDIARY_TILES_DIRECTORY
        "/%s; if that does not help, let the web server have the page's "
        "configuration that ships: it leads tiles/ there, and sends parts of files",
        name, name);
}

void visit_map(struct visit *visit, const char *answered_at)
{
    const char *tiles = visit->config.map_tiles;
    if (!settings_is_tile_file(tiles))
        return;
    const char *endpoint = strstr(answered_at, "/API.php");
    int root = (int)(endpoint != NULL ? (size_t)(endpoint - answered_at) : strlen(answered_at));
    const char *address = visit_advise(visit, "%.*s/%s", root, answered_at, tiles);
    char reason[PROBE_REASON_SIZE] = "";
    int64_t began_at = clock_milliseconds();
    enum probe_outcome outcome;
    do
        outcome = probe_tiles(address, reason);
    while (outcome != PROBE_GOOD && visit_wait(visit, began_at));
    bool is_good = outcome == PROBE_GOOD;
    visit_find(visit, "map", is_good, advise(visit, strchr(tiles, '/') + 1), "%s: %s", address,
               is_good ? "a file of streets" : reason);
}
