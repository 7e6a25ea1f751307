# Makes C of the SQL files of src/store: tables of struct db_statement on standard output, and their header in the file
# that the variable "header" names. doc/architecture.md, "SQL", describes the files.

function fail(text)
{
    printf "%s:%d: %s\n", FILENAME, FNR, text >"/dev/stderr"
    failed = 1
    exit 1
}

# Takes a word, quoted or not, from the front of the global "line", as psql does.
function take_value(    value)
{
    sub(/^[ \t]+/, "", line)
    if (line !~ /^'/) {
        match(line, /^[^ \t]+/)
        value = substr(line, 1, RLENGTH)
        line = substr(line, RLENGTH + 1)
        return value
    }
    for (line = substr(line, 2); match(line, /^([^']|'')*'/); ) {
        value = substr(line, 1, RLENGTH - 1)
        line = substr(line, RLENGTH + 1)
        gsub(/''/, "'", value)
        return value
    }
    fail("a quote is open")
}

# Reads the words of a line of \set; those of a kind have its name in front.
function read_words(    name)
{
    for (line = $0; line != ""; ) {
        if (!match(line, /^[ \t]*\\set[ \t]+[a-z_]+/))
            fail("not \\set")
        name = substr(line, 1, RLENGTH)
        sub(/.*[ \t]/, "", name)
        line = substr(line, RLENGTH + 1)
        words[kind_read, name] = take_value()
        sub(/^[ \t]+/, "", line)
    }
}

# What stands for :name in a statement: the number of a parameter, or a word, which may have names itself.
function meaning(name, kind, depth)
{
    if (name in number) {
        used[name] = 1
        return "$" number[name]
    }
    if (depth > 8)
        fail(":" name " is made of itself")
    if ((kind, name) in words)
        return expand(words[kind, name], kind, depth + 1)
    if (("", name) in words)
        return expand(words["", name], kind, depth + 1)
    fail(":" name " in " statement " is neither a parameter nor a word")
}

# The text with its names replaced; what is between quotes stays.
function expand(text, kind, depth,    pieces, count, i, rest, done, token)
{
    count = split(text, pieces, "'")
    for (i = 1; i <= count; i += 2) {
        done = ""
        for (rest = pieces[i]; match(rest, /::?[a-z_][a-z0-9_]*/); rest = substr(rest, RSTART + RLENGTH)) {
            token = substr(rest, RSTART, RLENGTH)
            done = done substr(rest, 1, RSTART - 1) (token ~ /^::/ ? token : meaning(substr(token, 2), kind, depth))
            # The match of a name within the word has moved these.
            match(rest, /::?[a-z_][a-z0-9_]*/)
        }
        pieces[i] = done rest
    }
    done = pieces[1]
    for (i = 2; i <= count; i++)
        done = done "'" pieces[i]
    return done
}

function c_string(text,    lines, count, i, done)
{
    gsub(/\\/, "&&", text)
    gsub(/"/, "\\\\&", text)
    count = split(text, lines, "\n")
    for (i = 1; i <= count; i++)
        done = done "\n        \"" lines[i] (i < count ? "\\n\"" : "\"")
    return done
}

function end_table()
{
    if (table != "")
        print "    DB_STATEMENTS_END,\n};"
    table = ""
}

function begin_table(    name)
{
    table = next_table
    rows = 0
    printf "\nconst struct db_statement %s[] = {\n", table
    printf "\nextern const struct db_statement %s[];\n", table >header
}

function write_statement(name, kind,    text)
{
    if (name in known)
        fail(name " is there already")
    known[name] = 1
    text = expand(sql, kind, 0)
    if (is_text) {
        write_text(name, text)
        return
    }
    if (table == "")
        begin_table()
    printf "    {\"%s\",%s,\n        %s, %s},\n", name, c_string(text), writes ? "true" : "false", use
    printf "#define SQL_%s (&%s[%d])\n", toupper(name), table, rows++ >header
    if (is_copied)
        write_text(name "_copy", "COPY (" text ") TO STDOUT (FORMAT csv)")
}

# A text is nothing that is prepared: a script, or a COPY.
function write_text(name, text)
{
    texts = texts "\nconst char " name "[] =" c_string(text) ";\n"
    printf "extern const char %s[];\n", name >header
}

# Where a blank line or the file ends it.
function end_statement(    i, name)
{
    if (statement == "")
        return
    if (!sub(/;$/, "", sql))
        fail(statement " does not end with a semicolon")
    if (!is_text && sql ~ /;\n/)
        fail(statement " is more than one statement")
    if (kinds_count == 0)
        write_statement(statement, "")
    for (i = 1; i <= kinds_count; i++) {
        name = statement
        sub(/:kind/, words[kinds[i], "kind"], name)
        write_statement(name, kinds[i])
    }
    for (name in number)
        if (!(name in used))
            fail(statement " does not use :" name)
    statement = ""
}

# "name(parameter, parameter) attribute attribute for kind kind", of the comment lines before the SQL.
function begin_statement(rest,    list, count, i, for_kinds)
{
    if (statement != "")
        fail("no blank line ends " statement)
    match(rest, /^[a-z_:]+/)
    statement = substr(rest, 1, RLENGTH)
    rest = substr(rest, RLENGTH + 1)
    split("", number)
    split("", used)
    if (rest ~ /^\(/) {
        count = split(substr(rest, 2, index(rest, ")") - 2), list, ", *")
        for (i = 1; i <= count; i++)
            number[list[i]] = i
        rest = substr(rest, index(rest, ")") + 1)
    }
    writes = is_copied = is_text = kinds_count = for_kinds = 0
    sql = use = ""
    count = split(rest, list, " ")
    for (i = 1; i <= count; i++)
        if (for_kinds)
            kinds[++kinds_count] = list[i]
        else if (list[i] == "for")
            for_kinds = 1
        else if (list[i] == "writes")
            writes = 1
        else if (list[i] == "copy")
            is_copied = 1
        else if (list[i] == "text")
            is_text = 1
        else if (list[i] ~ /^(service|admin|opening)$/)
            use = use (use == "" ? "" : " | ") "DB_" toupper(list[i])
        else
            fail(statement " is not to be \"" list[i] "\"")
    if ((use == "") != is_text)
        fail(statement " is for the service, for administrators, or a text")
}

BEGIN {
    print "/* Made by build-aux/statements.awk. */\n#include \"store/statements.h\""
    printf "/* Made by build-aux/statements.awk. */\n" >header
    printf "#ifndef MAPDIARY_STORE_STATEMENTS_H\n#define MAPDIARY_STORE_STATEMENTS_H\n" >header
    printf "\n#include \"db/statement.h\"\n" >header
}

FNR == 1 {
    end_statement()
    end_table()
    next_table = FILENAME
    sub(/.*\//, "", next_table)
    sub(/\.sql$/, "_statements", next_table)
    kind_read = ""
}

/^-- table: / {
    end_table()
    next_table = $3
    next
}

/^-- kind: / {
    kind_read = $3
    next
}

/^-- name: / {
    head = substr($0, 10)
    next
}

/^$/ {
    end_statement()
    kind_read = ""
    next
}

/^[ \t]*--/ {
    if (head != "")
        head = head " " substr($0, 4)
    next
}

/^\\set / {
    read_words()
    next
}

{
    if (head != "")
        begin_statement(head)
    head = ""
    if (statement == "")
        fail("a statement has no name")
    sql = sql (sql == "" ? "" : "\n") $0
}

END {
    if (failed)
        exit 1
    end_statement()
    end_table()
    printf "%s", texts
    print "\n#endif" >header
}
