#include "jobs/account.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* The file: "" where there is none to be. */
static void find_path(const struct config *config, char *path, size_t size)
{
    const char *folder = getenv("CREDENTIALS_DIRECTORY");
    *path = '\0';
    if (*config->mail_credentials != '\0')
        snprintf(path, size, "%s", config->mail_credentials);
    else if (folder != NULL)
        snprintf(path, size, "%s/mail", folder);
}

/* What systemd hands over where nobody has put anything there: the unit says so. */
static bool is_none(const struct config *config, const char *text)
{
    return *config->mail_credentials == '\0' && (*text == '\0' || strcmp(text, "none") == 0);
}

static bool parse(struct account_file *file)
{
    char *end = strchr(file->text, '\n');
    if (end == NULL)
        return false;
    *end = '\0';
    char *password = end + 1;
    password[strcspn(password, "\r\n")] = '\0';
    file->text[strcspn(file->text, "\r")] = '\0';
    file->account = (struct smtp_account){file->text, password};
    return *file->text != '\0' && *password != '\0';
}

bool account_read(const struct config *config, struct account_file *file)
{
    char path[4096];
    *file = (struct account_file){.text = ""};
    find_path(config, path, sizeof path);
    FILE *stream = *path != '\0' ? fopen(path, "re") : NULL;
    if (stream == NULL && (*config->mail_credentials == '\0'))
        return true;
    if (stream == NULL) {
        log_error("%s: %s", path, strerror(errno));
        return false;
    }
    size_t length = fread(file->text, 1, sizeof file->text - 1, stream);
    fclose(stream);
    file->text[length] = '\0';
    if (is_none(config, file->text) || parse(file))
        return true;
    log_error("%s: not the two lines of a name and a password", path);
    return false;
}

void account_forget(struct account_file *file)
{
    explicit_bzero(file, sizeof *file);
}
