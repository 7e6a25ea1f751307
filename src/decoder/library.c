#include "decoder/library.h"

#include <stdlib.h>
#include <string.h>

#include <vips/vips.h>

#include "base/log.h"

/* The libraries behind them are fuzzed, and read by browsers: JPEG, PNG, WebP, GIF, HEIC and AVIF.
 */
static const char *const allowed[] = {
    "VipsForeignLoadJpeg", "VipsForeignLoadPng",  "VipsForeignLoadWebp", "VipsForeignLoadNsgif",
    "VipsForeignLoadHeif", "VipsForeignSaveJpeg", "VipsForeignSaveWebp",
};

bool library_may_load(const char *loader)
{
    bool may = false;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        may = may || strncmp(loader, allowed[i], strlen(allowed[i])) == 0;
    return may;
}

static void allow(void)
{
    vips_block_untrusted_set(TRUE);
    vips_operation_block_set("VipsForeignLoad", TRUE);
    vips_operation_block_set("VipsForeignSave", TRUE);
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        vips_operation_block_set(allowed[i], FALSE);
}

/* What a stranger sends may make a library say hundreds of things. */
static void say_nothing(const gchar *domain, GLogLevelFlags level, const gchar *message,
                        gpointer data)
{
    (void)domain, (void)level, (void)message, (void)data;
}

static const char *const settings[][2] = {
    {"VIPS_NOVECTOR", "1"},          /* no code is made in memory, which the unit forbids */
    {"VIPS_CONCURRENCY", "1"},       /* several pictures at a time are better than one in parts */
    {"VIPS_DISC_THRESHOLD", "100g"}, /* there is no file for what is large */
};

bool library_open(const char *program)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        setenv(settings[i][0], settings[i][1], 1);
    g_log_set_default_handler(say_nothing, NULL);
    if (vips_init(program) != 0) {
        log_error("libvips: %s", vips_error_buffer());
        return false;
    }
    allow();
    vips_cache_set_max(0);
    return true;
}
