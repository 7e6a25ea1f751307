-- Words in one form, for texts and for searches.

-- Character references -----------------------------------------------------------------------------------------------

-- The character of a number, as browsers read it (HTML, 13.2.5.80).
CREATE FUNCTION numbered_character(digits text, base integer) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
    significant CONSTANT text := lower(ltrim(digits, '0'));
    code integer := 0;
BEGIN
    FOR n IN 1 .. CASE WHEN length(significant) <= 7 THEN length(significant) ELSE 0 END LOOP
        code := code * base + strpos('123456789abcdef', substr(significant, n, 1));
    END LOOP;
    RETURN CASE WHEN code = 0 OR code > x'10ffff'::integer OR code BETWEEN x'd800'::integer AND x'dfff'::integer THEN U&'\fffd'
        WHEN code BETWEEN 128 AND 159 AND code NOT IN (129, 141, 143, 144, 157)
            THEN convert_from(set_byte('\x00', 0, code), 'WIN1252')
        ELSE chr(code) END;
END $$;

-- Of a name, browsers read as much as they know: all of it, or else an old name that it begins with.
CREATE FUNCTION known_reference(name text, ending text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    known CONSTANT jsonb := mapdiary.reference_characters();
BEGIN
    RETURN CASE WHEN known ? (name || ending) THEN name || ending WHEN known ? name THEN name
        ELSE (SELECT left(name, size) FROM generate_series(6, 2, -1) AS size WHERE known ? left(name, size) LIMIT 1) END;
END $$;

CREATE FUNCTION read_references(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN (WITH part AS MATERIALIZED (
            SELECT n, part, regexp_match(part, '^(?:#([0-9]+)|#[xX]([0-9a-fA-F]+)|([a-zA-Z][a-zA-Z0-9]+))(;?)') AS read
                FROM string_to_table(t, '&') WITH ORDINALITY AS u (part, n)),
        named AS MATERIALIZED (SELECT *, mapdiary.known_reference(read[3], read[4]) AS name FROM part)
        SELECT string_agg(CASE WHEN n = 1 THEN part
                WHEN read[1] IS NOT NULL THEN mapdiary.numbered_character(read[1], 10) || substr(part, 2 + length(read[1] || read[4]))
                WHEN read[2] IS NOT NULL THEN mapdiary.numbered_character(read[2], 16) || substr(part, 3 + length(read[2] || read[4]))
                WHEN name IS NOT NULL THEN (mapdiary.reference_characters() ->> name)
                    || substr(part, 1 + length(name) + (name = read[3])::integer * length(read[4]))
                ELSE '&' || part END, '' ORDER BY n)
            FROM named);
END $$;

CREATE OR REPLACE FUNCTION plain_text(html text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF html ~ '<' THEN
        html := regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(html,
            '<!--.*?-->', ' ', 'g'),
            '<script\y.*?</script\s*>', ' ', 'gi'),
            '<style\y.*?</style\s*>', ' ', 'gi'),
            '</?(?:a|abbr|b|bdi|bdo|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|tt|u|var|wbr)(?:\s(?:"[^"]*"|''[^'']*''|[^''"<>])*)?/?>', '', 'gi'),
            '</?[a-z!](?:"[^"]*"|''[^'']*''|[^''"<>])*>', ' ', 'gi');
    END IF;
    RETURN CASE WHEN html ~ '&' THEN mapdiary.read_references(html) ELSE html END;
END $$;

-- Folding ------------------------------------------------------------------------------------------------------------

-- Each Chinese character that has a simplified one, as this.
CREATE FUNCTION simplified(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN (SELECT string_agg(coalesce(mapdiary.simplified_characters() ->> c, c), '') FROM string_to_table(t, NULL) AS c);
END $$;

-- Words without case, accents and width, their apostrophes, and blanks. The locale of the database does not matter. The characters
-- of the second case have no other form, so they are not decomposed and composed again.
CREATE FUNCTION folded_part(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF octet_length(t) = length(t) THEN
        RETURN regexp_replace(lower(t COLLATE "C"), '[^a-z0-9'']+', ' ', 'g');
    ELSIF t !~ '[^\x01-\x7f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0002a6df]' THEN
        t := lower(t COLLATE "und-x-icu");
    ELSE
        t := normalize(regexp_replace(normalize(lower(normalize(t, NFKC) COLLATE "und-x-icu"), NFKD),
                                      '[' || mapdiary.unread_characters() || ']+', '', 'g'), NFKC);
        t := translate(t, U&'ıøłđðħŧς’‘‛ʼʻ\115f\1160', 'iolddhtσ''''''''''  ');
        t := replace(replace(replace(replace(t, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
    END IF;
    t := regexp_replace(t, '[^''' || mapdiary.word_characters() || ']+' COLLATE "und-x-icu", ' ', 'g');
    RETURN CASE WHEN t ~ '[\u3400-\u9fff\U00020000-\U0003ffff]' THEN mapdiary.simplified(t) ELSE t END;
END $$;

-- An apostrophe stays between two letters or digits of a word.
CREATE FUNCTION with_apostrophes(t text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN strpos(t, '''') = 0 THEN t ELSE regexp_replace(t,
        '''+(?![^ ''' || mapdiary.run_characters() || '])|(?<![^ ''' || mapdiary.run_characters() || '])''+', ' ', 'g') END
$$;

CREATE OR REPLACE FUNCTION folded(t text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT mapdiary.with_apostrophes(mapdiary.folded_part(t))
$$;

-- The first characters of a text, folded. It is folded part by part, because NFKC makes up to 18 characters of one. It is
-- composed first, so that no part begins with a mark of the character before. A sequence of marks would be put in order by
-- comparing each with all, so long sequences of what is no letter are left out before.
CREATE OR REPLACE FUNCTION folded_by_parts(t text, most integer) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
    part CONSTANT integer := greatest(1000, most / 12);
    long CONSTANT text := '[^[:alnum:]\x01-\x7f\u00b2-\u00be\u2070-\u20a8\u2100-\u218f\u2460-\u24ff\u2e80-\u2fdf\u3007\u3038-\u303a'
        '\u3190-\u33ff\ufdfc\U0001f100-\U0001f2ff]{31,}';
    done text := '';
BEGIN
    IF t ~ long COLLATE "und-x-icu" THEN
        t := regexp_replace(t, '[' || mapdiary.unread_characters() || ']{31,}', '', 'g');
        t := regexp_replace(t, long COLLATE "und-x-icu", ' ', 'g');
    END IF;
    t := normalize(t, NFC);
    FOR n IN 0 .. length(t) / part LOOP
        done := done || mapdiary.folded_part(substr(t, 1 + n * part, part));
        EXIT WHEN length(done) >= most;
    END LOOP;
    RETURN mapdiary.with_apostrophes(left(done, most));
END $$;
CREATE OR REPLACE FUNCTION folded_within(t text, most integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN length(t) <= 1000 THEN left(mapdiary.folded(t), most) ELSE mapdiary.folded_by_parts(t, most) END
$$;

-- Words --------------------------------------------------------------------------------------------------------------

-- Of folded text: the words, and of Chinese, Japanese and Korean characters in a row each one and each two. All twos are at one
-- position, because phrases are found by the ones. The twos are cut out by "..", which PostgreSQL matches several times faster
-- than a class of characters; \x01 stands for what is between rows, and what is cut out with it is no two. Behind the last
-- position that a tsvector has, words are taken once only, because reading a word again costs more than sorting it. A word has
-- 2,046 bytes at most (PostgreSQL manual, 12.10). PostgreSQL's parser is faster; it finds the words of letters only that are
-- letters in every locale.
CREATE OR REPLACE FUNCTION words_of(t text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    last CONSTANT integer := 16383;
    run CONSTANT text := mapdiary.run_characters();
    ones text[];
    words text;
    twos tsvector := '';
BEGIN
    IF octet_length(t) = length(t) THEN
        RETURN to_tsvector('pg_catalog.simple', replace(t, '''', ' '));
    END IF;
    IF t !~ ('[' || run || ']') THEN
        ones := string_to_array(replace(t, '''', ' '), ' ');
    ELSE
        twos := regexp_replace(regexp_replace(rows, '..', '\&:1 ', 'g') || E'\x01 '
                || regexp_replace(substr(rows, 2), '..', '\&:1 ', 'g') || E'\x01 ', '[^ ]?\x01[^ ]* ', '', 'g')::tsvector
            FROM regexp_replace(t, '[^' || run || ']+', E'\x01', 'g') AS rows;
        ones := CASE WHEN t ~ ('[^ ' || run || ']')
            THEN string_to_array(replace(regexp_replace(t, '[' || run || ']', ' \& ', 'g'), '''', ' '), ' ')
            ELSE string_to_array(t, NULL) END;
    END IF;
    ones := array_remove(array_remove(ones, ''), ' ');
    IF cardinality(ones) <= last AND t !~ '[^ ''a-z0-9\u3041-\u3096\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]' THEN
        RETURN to_tsvector('pg_catalog.simple', array_to_string(ones, ' ')) || twos;
    END IF;
    ones := ARRAY(SELECT one FROM unnest(ones) AS one WHERE octet_length(one) <= 2046);
    words := string_agg(one || ':' || n, ' ') FROM unnest(ones[:last]) WITH ORDINALITY AS u (one, n);
    IF cardinality(ones) > last THEN
        words := words || ' ' || array_to_string(tsvector_to_array(array_to_tsvector(ones[last + 1:])), ':1 ') || ':1';
    END IF;
    RETURN coalesce(words, '')::tsvector || twos;
END $$;

-- A word with apostrophes, and without them.
CREATE FUNCTION words_with_apostrophes(t text) RETURNS TABLE (word text, joined text) LANGUAGE sql IMMUTABLE AS $$
    SELECT DISTINCT w[1], replace(w[1], '''', '')
        FROM regexp_matches(t, '[^ ''' || mapdiary.run_characters() || ']+(?:''[^ ''' || mapdiary.run_characters() || ']+)+', 'g') AS w
        WHERE octet_length(w[1]) <= 2046
$$;

-- The words of a folded text. One with apostrophes is there in its parts, and as one.
CREATE FUNCTION words_of_text(t text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN CASE WHEN strpos(t, '''') = 0 THEN mapdiary.words_of(t)
        ELSE mapdiary.words_of(t) || (SELECT coalesce(string_agg(joined || ':1', ' '), '')::tsvector FROM mapdiary.words_with_apostrophes(t)) END;
END $$;

-- The words of a folded title, text and comments. PostgreSQL keeps 255 positions of a word, up to 16383 (PostgreSQL manual,
-- 12.10); a text with more has the word "#long".
CREATE OR REPLACE FUNCTION words_of_folded(title text, body text, comments text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    words tsvector := setweight(mapdiary.words_of_text(title), 'A');
    long CONSTANT integer := length(title) + length(body) + length(comments);
BEGIN
    IF body <> '' THEN
        words := words || setweight(mapdiary.words_of_text(body), 'B');
    END IF;
    IF comments <> '' THEN
        words := words || setweight(mapdiary.words_of_text(comments), 'D');
    END IF;
    IF long > 6000 OR long >= 255 AND EXISTS (SELECT FROM unnest(words) u WHERE cardinality(positions) >= 255) THEN
        words := words || quote_literal('#long')::tsvector;
    END IF;
    RETURN words;
END $$;

-- The words of an entry with those of further comments, or with all its comments instead of those that it has. If they do not
-- fit into a tsvector, the older comments are left out.
CREATE OR REPLACE FUNCTION with_comments(words tsvector, comments text, is_all boolean, entry bigint) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    is_long boolean := words @@ '''#long'''::tsquery;
    base tsvector := CASE WHEN is_all THEN ts_filter(words, '{a,b}') ELSE words END;
    more tsvector;
    most integer;
BEGIN
    FOREACH most IN ARRAY ARRAY[100000, 16000, 1000, 0] LOOP
        BEGIN
            more := setweight(mapdiary.words_of_text(mapdiary.folded_within(coalesce(comments, ''), most)), 'D');
            words := base || more || mapdiary.bucket_words(entry);
            is_long := is_long OR EXISTS (SELECT FROM unnest(words) u
                WHERE cardinality(positions) >= 255 OR positions[cardinality(positions)] >= 16383);
            RETURN words || CASE WHEN is_long THEN quote_literal('#long') ELSE '' END::tsvector;
        EXCEPTION WHEN program_limit_exceeded THEN
            base := ts_filter(base, '{a,b}');
            is_long := true;
        END;
    END LOOP;
END $$;

-- A query that finds the texts with all words of q: words of any weight, or of the given weights. Three or more Chinese,
-- Japanese or Korean characters of q have to follow each other, but for long texts their order is not known. A word with
-- apostrophes is found by its parts, or as one. NULL if q has no word.
CREATE OR REPLACE FUNCTION search_query(q text, weights text) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE SET search_path = mapdiary AS $$
DECLARE
    t CONSTANT text := folded(q);
    run CONSTANT text := run_characters();
    wanted text[] := ARRAY(SELECT quote_literal(word) || weights
        FROM unnest(tsvector_to_array(words_of(regexp_replace(t, '[^ ' || run || ']*''[^ ' || run || ']*', ' ', 'g')))) AS word);
BEGIN
    wanted := wanted || ARRAY(SELECT format('((%s) | %s)',
            (SELECT string_agg(quote_literal(part) || weights, ' & ') FROM string_to_table(word, '''') AS part),
            quote_literal(joined) || weights)
        FROM words_with_apostrophes(t));
    wanted := wanted || ARRAY(SELECT format('(''#long'' | %s)',
            (SELECT string_agg(quote_literal(c) || weights, ' <-> ' ORDER BY n)
             FROM string_to_table(row[1], NULL) WITH ORDINALITY AS u (c, n)))
        FROM regexp_matches(t, '[' || run || ']{3,}', 'g') AS row);
    RETURN nullif(array_to_string(wanted, ' & '), '')::tsquery;
END $$;

-- The indexer --------------------------------------------------------------------------------------------------------

-- The words of all pieces are noted anew, the newest first. Pieces keep the numbers of their entries.
CREATE OR REPLACE FUNCTION index_upkeep() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
DECLARE
    state indexing;
BEGIN
    IF NOT is_only_indexer() THEN
        RETURN -1;
    END IF;
    SELECT * INTO state FROM indexing;
    IF state.counted_at IS NULL THEN
        PERFORM recount_map();
        UPDATE indexing SET counted_at = now();
        RETURN 1;
    ELSIF state.listed_at IS NULL THEN
        DELETE FROM search_old;
        INSERT INTO search_old (entry_id, kind, id)
            SELECT coalesce(entry_id, least((SELECT min(entry_id) FROM search_entry), 1)
                       - row_number() OVER (PARTITION BY entry_id IS NULL ORDER BY coalesce(created_at, updated_at) DESC, p.kind DESC, number DESC)),
                   p.kind, number
                FROM piece p LEFT JOIN search_entry e ON e.kind = p.kind AND e.id = p.number;
        UPDATE indexing SET listed_at = now();
        RETURN 1;
    ELSIF state.common_at IS NULL OR state.common_at NOT BETWEEN now() - interval '10 minutes' AND now() THEN
        UPDATE indexing SET common_at = now();
        DELETE FROM search_common;
        INSERT INTO search_common SELECT DISTINCT unnest(most_common_elems::text::text[]) FROM pg_stats
            WHERE schemaname = 'mapdiary_closed' AND tablename = 'search_entry' AND attname = 'words';
    END IF;
    RETURN 0;
END $$;
COMMENT ON COLUMN mapdiary_closed.search_entry.entry_id IS 'The newer the piece, the higher.';

CREATE OR REPLACE FUNCTION recount() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
BEGIN
    PERFORM recount_map();
    INSERT INTO search_queue (kind, ids, entry_ids)
        SELECT kind, array_agg(id), array_agg(nextval('search_number')) FROM unlisted_pieces() GROUP BY kind, id >> 6;
    UPDATE indexing SET counted_at = now(), listed_at = NULL;
    RETURN (SELECT coalesce(sum(total), 0) FROM map_cell WHERE level = 4);
END $$;
COMMENT ON FUNCTION recount IS
    'Counts anew, and has the words of all pieces noted anew. Answers how many pieces are counted.';

UPDATE mapdiary_closed.indexing SET listed_at = NULL;
