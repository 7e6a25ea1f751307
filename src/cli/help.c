#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "cli/arguments.h"

void help_print_groups(const struct command_group *groups, FILE *out)
{
    fputs("usage: mapdiaryctl [-c FILE] GROUP [COMMAND] ...\n"
          "  -c FILE        the configuration ($MAPDIARY_CONF, else " MAPDIARY_CONFIG_FILE ")\n"
          "  -h, --help     print this, or how a group or command is used\n"
          "  -V, --version  print the version\n\n",
          out);
    for (const struct command_group *group = groups; group->name != NULL; group++)
        fprintf(out, "  %-12s %s\n", group->name, group->summary);
    fputs("\nmapdiaryctl GROUP prints the commands of a group.\n\nExit status:\n", out);
    for (const struct exit_meaning *exit = exit_meanings; exit->meaning != NULL; exit++)
        fprintf(out, "  %-12d %s\n", (int)exit->status, exit->meaning);
}

void help_print_group(const struct command_group *group, FILE *out)
{
    fprintf(out, "mapdiaryctl %s: %s\n\n", group->name, group->summary);
    for (const struct command *command = group->commands; command->run != NULL; command++)
        fprintf(out, "  %s %-12s %s\n", group->name, command->name, command->summary);
    fprintf(out, "\nmapdiaryctl %s COMMAND --help tells all about a command.\n", group->name);
}

static void add_parameter(const struct parameter *parameter, struct buffer *text)
{
    const char *dots = parameter->many ? "..." : "";
    buffer_add_text(text, parameter->required ? " " : " [");
    if (parameter->operand)
        buffer_add_format(text, "%s%s", parameter->name, dots);
    else
        buffer_add_format(text, "--%s%s%s%s", parameter->name, parameter->value != NULL ? " " : "",
                          parameter->value != NULL ? parameter->value : "", dots);
    buffer_add_text(text, parameter->required ? "" : "]");
}

/* "mapdiaryctl user add --email ADDRESS [--json]" */
static void add_synopsis(const struct command_group *group, const struct command *command,
                         struct buffer *text)
{
    buffer_add_format(text, "mapdiaryctl %s", group->name);
    if (command->name != NULL)
        buffer_add_format(text, " %s", command->name);
    for (const struct parameter *parameter = command->parameters; parameter->name != NULL;
         parameter++)
        add_parameter(parameter, text);
    for (const struct parameter *const *common = arguments_common(command); *common != NULL;
         common++)
        add_parameter(*common, text);
}

static void print_parameter(const struct parameter *parameter, FILE *out)
{
    char name[64];
    if (parameter->operand)
        snprintf(name, sizeof name, "%s", parameter->name);
    else
        snprintf(name, sizeof name, "--%s %s", parameter->name,
                 parameter->value != NULL ? parameter->value : "");
    fprintf(out, "  %-22s %s\n", name, parameter->meaning);
}

static void print_column(const struct parameter *column, FILE *out)
{
    struct buffer text = {0};
    value_describe(&column->type, &text);
    fprintf(out, "  %-22s %.*s%s%s%s\n", column->name, (int)text.length, text.data,
            column->required ? "; required" : "", column->meaning != NULL ? "; " : "",
            column->meaning != NULL ? column->meaning : "");
    buffer_free(&text);
}

static void print_columns(const struct parameter *columns, FILE *out)
{
    fputs("\nColumns of CSV, members of an object of JSON, properties of a feature of GeoJSON:\n"
          "  id                     the identifier in the source; if absent, a hash of the row;\n"
          "                         in GeoJSON, from the feature, or from a property @id\n"
          "  source                 the source of that identifier; if absent, --source;\n"
          "                         in GeoJSON, from the feature\n",
          out);
    for (const struct parameter *column = columns; column->name != NULL; column++)
        print_column(column, out);
}

void help_print_command(const struct command_group *group, const struct command *command, FILE *out)
{
    struct buffer synopsis = {0};
    add_synopsis(group, command, &synopsis);
    fprintf(out, "usage: %.*s\n\n%s\n", (int)synopsis.length, synopsis.data, command->summary);
    buffer_free(&synopsis);
    if (command->details != NULL)
        fprintf(out, "%s\n", command->details);
    fputc('\n', out);
    for (const struct parameter *parameter = command->parameters; parameter->name != NULL;
         parameter++)
        print_parameter(parameter, out);
    for (const struct parameter *const *common = arguments_common(command); *common != NULL;
         common++)
        print_parameter(*common, out);
    if (command->columns != NULL)
        print_columns(command->columns, out);
}
