-- Words that an operator has listed, and that hold a piece or a comment back.

-- Characters that are not seen within a word, as a class of a regular expression: category Cf, variation selectors, marks,
-- fillers, and \x01, which stands for a tag and is in no text.
CREATE FUNCTION unseen() RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT '\x01\u00ad\u0300-\u036f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1ab0-\u1aff'
        '\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff\u2800\u3164\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\uffa0\ufff0-\ufffb'
        '\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff'
$$;

-- HTML with \x01 in the place of comments and tags, and with the characters that numbers stand for. Of names, letters with an
-- accent and characters that are not seen are known.
CREATE FUNCTION unmarked_text(html text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    accents CONSTANT text[] := '{acute,breve,caron,cedil,circ,dot,grave,macr,ogon,ring,slash,strok,tilde,uml}';
    nothing CONSTANT text[] := '{shy,zwj,zwnj,lrm,rlm,NoBreak,ZeroWidthSpace}';
BEGIN
    IF html ~ '<' THEN
        html := regexp_replace(html, '<!--.*?-->', E'\x01', 'g');
        html := regexp_replace(html, '</?[a-z!?](?:"[^"]*"|''[^'']*''|[^''"<>])*>', E'\x01', 'gi');
    END IF;
    IF html ~ '&[#A-Za-z]' THEN
        html := (SELECT string_agg(CASE WHEN n = 1 THEN part
                         WHEN rest IS NOT NULL THEN CASE WHEN code BETWEEN 1 AND 55295 OR code BETWEEN 57344 AND 1114111 THEN chr(code)
                                                    ELSE ' ' END || ltrim(left(rest, 1), ';') || substr(rest, 2)
                         WHEN substr(name, 2) = ANY (accents) THEN left(name, 1) || substr(part, length(name) + 2)
                         WHEN name = ANY (nothing) THEN E'\x01' || substr(part, length(name) + 2)
                         ELSE '&' || part END, '' ORDER BY n)
            FROM (SELECT *, CASE WHEN rest IS NULL THEN split_part(left(part, 20), ';', 1) END AS name,
                         CASE WHEN digits = '' OR length(digits) > 7 THEN NULL
                              WHEN is_hex THEN ('x' || lpad(digits, 8, '0'))::bit(32)::integer ELSE digits::integer END AS code
                  FROM (SELECT *, ltrim(substr(part, 2, length(part) - 1 - length(rest)), 'xX0') AS digits
                        FROM (SELECT *, CASE WHEN is_hex THEN ltrim(substr(part, 2), 'xX0123456789abcdefABCDEF')
                                             WHEN part ^@ '#' THEN ltrim(substr(part, 2), '0123456789') END AS rest
                              FROM (SELECT n, part, part ^@ '#x' OR part ^@ '#X' AS is_hex
                                    FROM string_to_table(html, '&') WITH ORDINALITY AS u (part, n)) p OFFSET 0) r OFFSET 0) d OFFSET 0) c);
    END IF;
    RETURN html;
END $$;

-- A text in which words are looked for: its letters without their marks, and small. It is bounded: characters that become five
-- or more are blanks, and a long sequence of marks, which would be sorted by comparing each with all, is one character.
CREATE FUNCTION letters_of(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    long CONSTANT text := 'ﷺﷻ㈝㈞㉼㌀㌂㌄㌇㌓㌕㌖㌗㌙㌚㌠㌡㌫㌭㌮㌲㌴㌶㌻㌽㍀㍇㍊㍌㍔㍖㎮㎯';
BEGIN
    IF t ~ ('[' || long || ']') THEN
        t := translate(t, long, repeat(' ', length(long)));
    END IF;
    IF t ~ '[^[:alnum:]\x01-\x7f]{31}' COLLATE "und-x-icu" THEN
        t := regexp_replace(t, '[^[:alnum:]\x01-\x7f]{31,}' COLLATE "und-x-icu", E'\x01', 'g');
    END IF;
    RETURN lower(normalize(t, NFKD) COLLATE "und-x-icu");
END $$;

-- Regular expressions for the words of a list, a line each: "~" stands for what may be between two letters, "_" for what is between
-- two words, "<" for the edge of a word; exact_pattern() and simple_pattern() fill them in. One has about a hundred words, because
-- the time to make one grows with the square; there are not many more than 16, because PostgreSQL keeps 32. A word that begins or
-- ends with a letter begins or ends there, but Chinese, Japanese and Korean are written without blanks; a syllable ends behind its
-- last letter. NULL if there is no word.
CREATE FUNCTION word_patterns(list text) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = mapdiary, pg_temp AS $$
    SELECT string_agg(format('%s(?:%s)%s', CASE WHEN has_begin THEN '(?:^|<)~' END, words,
                             CASE WHEN has_end THEN '~(?:$|<)' ELSE '(?:$|[^\u1161-\u11ff\u3099\u309a])' END), E'\n')
        FROM (SELECT has_begin, has_end, string_agg(replace(regexp_replace(normalize(word, NFKD), '(.)(?=.)', '\1~', 'g'), ' ~', '_'), '|')
                         AS words
              FROM (SELECT *, row_number() OVER alike / greatest(100, count(*) OVER () / 16) AS n
                    FROM (SELECT word, word !~ '^[\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]' AS has_begin,
                                 word !~ '[\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]$' AS has_end
                          FROM (SELECT DISTINCT btrim(folded(line)) AS word FROM string_to_table(list, E'\n') AS line) AS lines) AS words
                    WHERE word <> '' WINDOW alike AS (PARTITION BY has_begin, has_end)) AS word GROUP BY has_begin, has_end, n) AS hundred
$$;

-- The expression for letters_of() a text. Characters that are not seen may stand between the letters of a word.
CREATE FUNCTION exact_pattern(pattern text) RETURNS text LANGUAGE plpgsql IMMUTABLE SET search_path = mapdiary, pg_temp AS $$
DECLARE
    gap CONSTANT text := format('[%s]*', unseen());
    edge CONSTANT text := format('[^[:alnum:]%s]|\x01|[\u1100-\u11ff]|[\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]', unseen());
    alike record;
BEGIN
    FOR alike IN SELECT * FROM (VALUES ('s~s', '(?:s~s|ß)'), ('a~e', '(?:a~e|æ)'), ('o~e', '(?:o~e|œ)'), ('t~h', '(?:t~h|þ)'),
                                ('i', '[iı]'), ('o', '[oø]'), ('l', '[lł]'), ('d', '[dđð]'), ('h', '[hħ]'), ('t', '[tŧ]'), ('σ', '[σς]'))
                     AS letters (one, all_of_them) LOOP
        pattern := replace(pattern, alike.one, alike.all_of_them);
    END LOOP;
    RETURN replace(replace(replace(pattern, '_', format('(?:[^[:alnum:]]|%s)+', rtrim(gap, '*'))), '<', edge), '~', gap);
END $$;

-- The expression for simple_letters() of a text. It is made and matched in a small part of the time, as it asks for no class of
-- letters. Where the exact expression matches, it does, too: so what is not seen is no part of it, and an edge is anything but a
-- plain letter, or nothing.
CREATE FUNCTION simple_pattern(pattern text, has_edges boolean) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT replace(replace(replace(replace(regexp_replace(pattern, '[\u115f\u1160]', '', 'g'), '(?:$|[^\u1161-\u11ff\u3099\u309a])', ''),
                                   '~', ''), '_', '[^a-z0-9]*'), '<', CASE WHEN has_edges THEN '[^a-z0-9]' ELSE '' END)
$$;

-- letters_of() without what is not seen, each letter in the form that it has in a folded line of a list.
CREATE FUNCTION simple_letters(letters text) RETURNS text LANGUAGE plpgsql IMMUTABLE SET search_path = mapdiary, pg_temp AS $$
BEGIN
    IF letters ~ format('[%s]', unseen()) THEN
        letters := regexp_replace(letters, format('[%s]+', unseen()), '', 'g');
    END IF;
    IF letters ~ '[ıøłđðħŧςßæœþ]' THEN
        letters := replace(replace(replace(replace(translate(letters, 'ıøłđðħŧς', 'iolddhtσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
    END IF;
    RETURN letters;
END $$;

-- The first of the words of mapdiary.held_words, a line each, that a text has. A session keeps the expressions of its list.
CREATE FUNCTION held_word(t text) RETURNS text LANGUAGE plpgsql SET search_path = mapdiary, pg_temp AS $$
DECLARE
    list CONSTANT text := current_setting('mapdiary.held_words', true);
    letters CONSTANT text := letters_of(t);
    simple CONSTANT text := simple_letters(letters);
    -- What is not seen may be the edge of a word, too.
    has_edges CONSTANT boolean := letters !~ '[\x01\u115f\u1160]';
    pattern text;
    found text;
BEGIN
    IF current_setting('mapdiary.held_list', true) IS DISTINCT FROM list THEN
        PERFORM set_config('mapdiary.held_patterns', word_patterns(list), false), set_config('mapdiary.held_list', list, false);
    END IF;
    FOREACH pattern IN ARRAY string_to_array(current_setting('mapdiary.held_patterns', true), E'\n') LOOP
        CONTINUE WHEN simple !~ simple_pattern(pattern, has_edges) COLLATE "C";
        pattern := exact_pattern(pattern);
        CONTINUE WHEN letters !~ pattern COLLATE "und-x-icu";
        found := folded(regexp_replace(substring(letters FROM pattern COLLATE "und-x-icu"), format('[%s]+', unseen()), '', 'g'));
        RETURN coalesce((SELECT line FROM string_to_table(list, E'\n') AS line
                         WHERE strpos(found, btrim(folded(line))) > 0 ORDER BY length(line) DESC LIMIT 1), found);
    END LOOP;
    RETURN NULL;
END $$;
CREATE FUNCTION held_word_in(thing jsonb) RETURNS text LANGUAGE sql SET search_path = mapdiary, pg_temp AS $$
    SELECT held_word(concat_ws(' . ', thing ->> 'title', unmarked_text(thing ->> 'content'), thing ->> 'user_category', thing ->> 'comment'))
$$;
