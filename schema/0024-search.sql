-- Searching by words: the best first, and the beginnings of words of titles while somebody types.

ALTER TABLE mapdiary_closed.search_entry ADD title text COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX search_entry_title ON mapdiary_closed.search_entry (title, entry_id);
COMMENT ON COLUMN mapdiary_closed.search_entry.title IS 'As folded_title() makes it.';
COMMENT ON COLUMN mapdiary_closed.search_entry.words IS
    'With words such as "#s3" for the buckets of entry_id: s of 2,048, m of 16,384, l of 262,144. So the newest pieces are found first. With words such as "^lon" for the beginnings of words of the title.';

-- As titles are compared.
CREATE FUNCTION folded_title(folded text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT left(btrim(replace(folded, '''', '')), 300)
$$;

-- The first two to eight letters and digits of the words of a folded title, for longer words, as words such as "^lon".
CREATE FUNCTION beginnings(t text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    words text := regexp_replace(t, '[' || mapdiary.run_characters() || ']+', ' ', 'g');
BEGIN
    IF strpos(words, '''') > 0 THEN
        words := concat_ws(' ', replace(words, '''', ' '), replace(words, '''', ''));
    END IF;
    RETURN coalesce((SELECT string_agg(DISTINCT '^' || left(word, size) || ':1A', ' ')
        FROM string_to_table(words, ' ') AS word, generate_series(2, least(8, length(word) - 1)) AS size), '')::tsvector;
END $$;

CREATE OR REPLACE FUNCTION words_of_folded(title text, body text, comments text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    words tsvector := setweight(mapdiary.words_of_text(title), 'A') || mapdiary.beginnings(title);
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

-- Of a query, a word and its weights. The word that is the beginning also finds titles with a word that begins with it.
CREATE FUNCTION query_word(word text, weights text, beginning text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN word = beginning THEN format('(%L%s | %L)', word, weights, '^' || word) ELSE quote_literal(word) || weights END
$$;

-- A query that finds the texts with all words of a folded text: words of any weight, or of the given weights. Three or more
-- Chinese, Japanese or Korean characters have to follow each other, but for long texts their order is not known. A word with
-- apostrophes is found by its parts, or as one. NULL if there is no word.
DROP FUNCTION search_query(text, text);
CREATE FUNCTION search_query(t text, weights text, beginning text) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE
SET search_path = mapdiary AS $$
DECLARE
    run CONSTANT text := run_characters();
    wanted text[] := ARRAY(SELECT query_word(word, weights, beginning)
        FROM unnest(tsvector_to_array(words_of(regexp_replace(t, '[^ ' || run || ']*''[^ ' || run || ']*', ' ', 'g')))) AS word);
BEGIN
    wanted := wanted || ARRAY(SELECT format('((%s) | %s)',
            (SELECT string_agg(query_word(part, weights, beginning), ' & ') FROM string_to_table(word, '''') AS part),
            query_word(joined, weights, CASE WHEN beginning <> '' AND right(t, length(word)) = word AND length(joined) <= 8 THEN joined END))
        FROM words_with_apostrophes(t));
    wanted := wanted || ARRAY(SELECT format('(''#long'' | %s)',
            (SELECT string_agg(quote_literal(c) || weights, ' <-> ' ORDER BY n)
             FROM string_to_table(row[1], NULL) WITH ORDINALITY AS u (c, n)))
        FROM regexp_matches(t, '[' || run || ']{3,}', 'g') AS row);
    RETURN nullif(array_to_string(wanted, ' & '), '')::tsquery;
END $$;

-- What a search asks for. "beginning" is the last word, if words of titles may begin with it; "sought" are all words, those with
-- apostrophes in their parts, and "joined" are these as one. The queries find texts and titles: with whole words, and "begun" also
-- by the beginning.
CREATE TYPE search_words AS (
    title       text,
    beginning   text,
    sought      text[],
    joined      text[],
    whole       tsquery,
    begun       tsquery,
    whole_title tsquery,
    begun_title tsquery
);
CREATE FUNCTION search_words(q text) RETURNS search_words LANGUAGE plpgsql IMMUTABLE SET search_path = mapdiary AS $$
DECLARE
    t CONSTANT text := folded(q);
    w search_words;
BEGIN
    w.title := folded_title(t);
    w.beginning := substring(t from '(?:^|[ ''' || run_characters() || '])([^ ''' || run_characters() || ']{2,8})$');
    w.sought := tsvector_to_array(words_of(t));
    w.joined := ARRAY(SELECT joined FROM words_with_apostrophes(t));
    w.whole := search_query(t, '', NULL);
    w.begun := search_query(t, '', w.beginning);
    w.whole_title := search_query(t, ':A', NULL);
    w.begun_title := search_query(t, ':A', w.beginning);
    RETURN w;
END $$;

-- How well a piece matches: 0 if its title is what is searched for, 2 if it begins with that, 4 if it has all words, 6 if the piece
-- has them anywhere; and one more if a word only begins with the last one. NULL if a word is missing. The function is inlined.
CREATE FUNCTION match_class(title text, words tsvector, w search_words) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN title = w.title THEN 0
        WHEN words @@ w.begun_title
            THEN CASE WHEN title ^@ w.title THEN 2 ELSE 4 END + (NOT words @@ w.whole_title)::integer
        WHEN words @@ w.begun THEN 6 + (NOT words @@ w.whole)::integer END
$$;

-- The pieces that the indexer has not come to, as a viewer sees them. Of the newest hundred things that wait, 20,000 characters
-- are read, folded as they are compared. A text is read if it has no more bytes than half of the characters that are left, and
-- up to a third of these, so that there is room for titles. Otherwise a new piece is found by its title, and a changed piece by
-- the words that it had. A new comment is found by its own words.
--
-- The class is that of match_class(). A piece with is_whole is not looked for in search_entry.
DROP FUNCTION read_waiting(bigint, text[], tsquery, tsquery, tsquery, integer, integer);
CREATE FUNCTION read_waiting(viewer bigint, w search_words, first_kind integer, last_kind integer)
RETURNS TABLE (kind integer, id bigint, entry_id bigint, class integer, place point, score bigint, is_whole boolean)
LANGUAGE plpgsql STABLE SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
#variable_conflict use_column
DECLARE
    characters integer := 20000;
    thing record;
    texts text[];
    all_texts text;
    folded_text text;
    is_read boolean;
    spent bigint;
BEGIN
    FOR thing IN
        WITH newest AS MATERIALIZED (SELECT * FROM (
                (SELECT u.* FROM (SELECT * FROM search_queue ORDER BY queue_id DESC LIMIT 100) q,
                    unnest(array_fill(q.kind, ARRAY[cardinality(q.ids)]), q.ids, q.entry_ids) AS u (kind, id, entry_id))
                UNION ALL
                (SELECT u.* FROM (SELECT * FROM arrival ORDER BY entry_ids[1] DESC LIMIT 100) a,
                    unnest(array_fill(a.kind, ARRAY[cardinality(a.ids)]), a.ids, a.entry_ids) AS u (kind, id, entry_id))
                UNION ALL
                (SELECT t.kind, t.id, t.entry_id FROM search_turn t ORDER BY t.entry_id DESC LIMIT 100)) n
                ORDER BY entry_id DESC LIMIT 100),
            things AS (
                SELECT kind % 3 AS kind, id, NULL::bigint AS comment_id, NULL::integer AS size, max(entry_id) AS entry_id
                    FROM newest WHERE kind < 6 GROUP BY 1, 2
                UNION ALL
                SELECT c.kind, c.number, comment_id, octet_length(comment) + coalesce(octet_length(reply), 0), entry_id
                    FROM newest n JOIN comment c ON n.kind = 6 AND comment_id = id AND hidden IS NULL)
        SELECT l.kind, l.id, coalesce(e.entry_id, t.entry_id) AS entry_id, t.comment_id, e.entry_id IS NOT NULL AS is_known,
               l.title, point(l.lng::float8, l.lat::float8) AS place, l.score,
               coalesce(t.size, (SELECT s.size FROM search_size(t.kind, t.id) s)) AS size
            FROM things t, LATERAL listed_piece(viewer, t.kind, t.id) l LEFT JOIN search_entry e ON e.kind = l.kind AND e.id = l.id
            WHERE t.kind BETWEEN first_kind AND last_kind AND (t.comment_id IS NULL OR e.entry_id IS NOT NULL)
            ORDER BY t.entry_id DESC
    LOOP
        EXIT WHEN characters <= 0;
        is_read := thing.size <= characters / 2;
        CONTINUE WHEN thing.is_known AND NOT is_read;
        texts := ARRAY[thing.title, '', ''];
        IF thing.comment_id IS NOT NULL THEN
            SELECT ARRAY['', '', concat_ws(' . ', comment, reply)] INTO texts FROM comment WHERE comment_id = thing.comment_id;
        ELSIF is_read THEN
            SELECT ARRAY[t.title, coalesce(t.body, ''), coalesce(t.comments, '')] INTO texts FROM piece_texts(thing.kind, thing.id) t;
        END IF;
        -- Folding makes a text longer or shorter. A character of markup has a byte at least, most others have three at most.
        spent := 0;
        FOR n IN 1 .. 3 LOOP
            folded_text := folded_within(texts[n], characters / 3);
            spent := spent + greatest(length(texts[n]), length(folded_text));
            texts[n] := folded_text;
        END LOOP;
        spent := greatest(spent, CASE WHEN is_read THEN thing.size / 3 END);
        characters := characters - spent;
        kind := thing.kind;
        id := thing.id;
        entry_id := thing.entry_id;
        -- A word is a part of the folded text: most texts need not be taken apart into words.
        all_texts := array_to_string(texts, ' ');
        all_texts := all_texts || CASE WHEN strpos(all_texts, '''') > 0 THEN ' ' || replace(all_texts, '''', '') ELSE '' END;
        class := CASE WHEN NOT EXISTS (SELECT FROM unnest(w.sought) AS word WHERE strpos(all_texts, word) = 0)
            THEN match_class(folded_title(texts[1]), words_of_folded(texts[1], texts[2], texts[3]), w) END;
        place := thing.place;
        score := thing.score;
        is_whole := thing.comment_id IS NULL;
        RETURN NEXT;
    END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION read_waiting FROM PUBLIC;

-- The newest hundred pieces whose title is the text, and the newest thousand with all its words; of these, those behind a position
-- are answered, the best first: by class, by the distance or the higher score, and by the age, which is less for a newer piece.
CREATE TYPE found_piece AS (entry_id bigint, kind integer, id bigint, class integer, place point, score bigint, is_whole boolean);
DROP FUNCTION found_pieces(bigint, text, integer, integer, float8, float8, integer, float8, integer, bigint, integer);
CREATE FUNCTION found_pieces(viewer bigint, q text, first_kind integer, last_kind integer, at_lat float8, at_lng float8,
                             after_class integer, after_far float8, after_age bigint, most integer)
RETURNS TABLE (kind integer, id bigint, class integer, far float8, age bigint) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET enable_material = off AS $$
#variable_conflict use_column
DECLARE
    titled_most CONSTANT integer := 100;
    others_most CONSTANT integer := 1000;
    w CONSTANT search_words := search_words(q);
    waiting found_piece[];
    titled found_piece[];
    titled_entries bigint[];
    others found_piece[] := '{}';
    stage record;
    highest bigint;
    lowest bigint;
    is_rare boolean;
BEGIN
    IF w.whole IS NULL THEN
        RETURN;
    END IF;
    -- If one of the words is rare, few pieces have it; else pieces are looked for from the newest bucket on.
    is_rare := EXISTS (SELECT FROM unnest(w.sought) AS u (word) WHERE NOT EXISTS (SELECT FROM search_common c
            WHERE c.word = u.word OR u.word = w.beginning AND c.word = '^' || u.word))
        AND NOT EXISTS (SELECT FROM search_common c WHERE c.word = ANY (w.joined));
    SELECT max(e.entry_id), min(e.entry_id) INTO highest, lowest FROM search_entry e;
    waiting := ARRAY(SELECT (r.entry_id, r.kind, r.id, r.class, r.place, r.score, r.is_whole)::found_piece
        FROM read_waiting(viewer, w, first_kind, last_kind) r);
    titled := ARRAY(SELECT (e.entry_id, e.kind, e.id, 0, v.place, v.score, false)::found_piece
        FROM (SELECT * FROM search_entry s WHERE s.title = w.title AND s.kind + 0 BETWEEN first_kind AND last_kind
                ORDER BY s.entry_id DESC) e,
             LATERAL (SELECT point(t.lng::float8, t.lat::float8) AS place, t.score FROM visible_piece(viewer) t
                WHERE t.kind = e.kind AND t.number = e.id OFFSET 0) v
        WHERE NOT EXISTS (SELECT FROM unnest(waiting) r WHERE r.is_whole AND r.kind = e.kind AND r.id = e.id)
        LIMIT titled_most);
    titled_entries := ARRAY(SELECT t.entry_id FROM unnest(titled) t);
    -- With a sum, because PostgreSQL would otherwise read the whole index of kinds beside that of words.
    FOR stage IN
        SELECT 0 AS n, NULL AS bucket WHERE is_rare
        UNION ALL
        SELECT 1, '#s' || b FROM generate_series(highest >> 11, greatest(highest >> 14 << 3, lowest >> 11), -1) AS b
            WHERE NOT is_rare
        UNION ALL
        SELECT 2, '#m' || b FROM generate_series((highest >> 14) - 1, greatest(highest >> 18 << 4, lowest >> 14), -1) AS b
            WHERE NOT is_rare
        UNION ALL
        SELECT 3, '#l' || b FROM generate_series((highest >> 18) - 1, lowest >> 18, -1) AS b WHERE NOT is_rare
    LOOP
        others := others || ARRAY(SELECT (e.entry_id, e.kind, e.id, match_class(e.title, e.words, w), v.place, v.score, false)::found_piece
            FROM (SELECT * FROM search_entry s
                  WHERE s.words @@ CASE WHEN stage.bucket IS NULL THEN w.begun ELSE quote_literal(stage.bucket)::tsquery && w.begun END
                  AND s.kind + 0 BETWEEN first_kind AND last_kind AND s.entry_id <> ALL (titled_entries)
                  ORDER BY s.entry_id DESC) e,
                 LATERAL (SELECT point(t.lng::float8, t.lat::float8) AS place, t.score FROM visible_piece(viewer) t
                    WHERE t.kind = e.kind AND t.number = e.id OFFSET 0) v
            WHERE NOT EXISTS (SELECT FROM unnest(waiting) r WHERE r.is_whole AND r.kind = e.kind AND r.id = e.id)
            LIMIT others_most - cardinality(others));
        EXIT WHEN cardinality(others) >= others_most;
    END LOOP;
    RETURN QUERY
    SELECT r.kind, r.id, r.class, r.far, r.age FROM (
        SELECT m.kind, m.id, m.class, -m.entry_id AS age,
               CASE WHEN at_lat IS NULL THEN -m.score ELSE sphere_distance(at_lat, at_lng, m.place[1], m.place[0]) END AS far
        FROM (
            SELECT * FROM unnest(titled)
            UNION ALL
            (SELECT * FROM (
                SELECT * FROM unnest(others)
                UNION ALL
                (SELECT DISTINCT ON (n.kind, n.id) * FROM unnest(waiting) n
                    WHERE n.class IS NOT NULL AND n.entry_id <> ALL (titled_entries)
                    AND NOT EXISTS (SELECT FROM unnest(others) o WHERE o.kind = n.kind AND o.id = n.id)
                    ORDER BY n.kind, n.id, n.class)) o
                ORDER BY 1 DESC LIMIT others_most)) m) r
        WHERE (r.class, r.far, r.age) > (after_class, after_far, after_age)
        ORDER BY r.class, r.far, r.age LIMIT most;
END $$;
COMMENT ON FUNCTION found_pieces IS 'The pieces that have all words of a text, as the viewer sees them, the best first.';

-- Notes the words of things: entries are added, changed, or deleted if the piece is gone.
CREATE OR REPLACE FUNCTION note_words(kinds integer[], ids bigint[], entry_ids bigint[]) RETURNS void LANGUAGE plpgsql
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
BEGIN
    WITH piece AS MATERIALIZED (SELECT * FROM unnest(kinds, ids, entry_ids) AS u (kind, id, entry_id) WHERE u.kind <= 2),
        worded AS MATERIALIZED (SELECT p.*, t.title, t.words,
                (SELECT e.entry_id FROM search_entry e WHERE e.kind = p.kind AND e.id = p.id) AS known_id
            FROM piece p LEFT JOIN LATERAL (SELECT folded_title(folded(t.title)) AS title, words_of_texts(t.title, t.body, t.comments) AS words
                FROM piece_texts(p.kind, p.id) t) t ON true),
        gone AS (DELETE FROM search_entry WHERE entry_id = ANY (ARRAY(SELECT known_id FROM worded WHERE words IS NULL))),
        known AS (UPDATE search_entry e SET title = w.title, words = w.words || bucket_words(e.entry_id) FROM worded w
            WHERE e.entry_id = ANY (ARRAY(SELECT known_id FROM worded)) AND e.entry_id = w.known_id AND w.words IS NOT NULL
            AND (e.title, e.words) IS DISTINCT FROM (w.title, w.words || bucket_words(e.entry_id)))
        INSERT INTO search_entry (entry_id, kind, id, title, words)
            SELECT entry_id, kind, id, title, words || bucket_words(entry_id) FROM worded WHERE known_id IS NULL AND words IS NOT NULL;
    IF 6 = ANY (kinds) THEN
        UPDATE search_entry e SET words = with_comments(e.words, c.said, false, e.entry_id) FROM (
                SELECT comment.kind, number AS id, string_agg(concat_ws(' . ', comment, reply), ' . ' ORDER BY comment_id DESC) AS said
                FROM unnest(kinds, ids) AS u (kind, id) JOIN comment ON comment_id = u.id
                WHERE u.kind = 6 AND hidden IS NULL GROUP BY 1, 2) c
            WHERE e.kind = c.kind AND e.id = c.id;
    END IF;
    IF kinds && ARRAY[3, 4, 5] THEN
        UPDATE search_entry e SET words = with_comments(e.words,
                (SELECT t.comments FROM piece_texts(e.kind, e.id) t), true, e.entry_id)
            FROM unnest(kinds, ids) AS u (kind, id) WHERE u.kind BETWEEN 3 AND 5 AND e.kind = u.kind - 3 AND e.id = u.id;
    END IF;
END $$;

UPDATE mapdiary_closed.indexing SET listed_at = NULL;

CALL show_pieces();
