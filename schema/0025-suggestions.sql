-- What somebody may have meant, if a search finds nothing: the words of titles that are nearest to the words of the search, by the
-- trigrams of pg_trgm, which is trusted (PostgreSQL manual, F.35). It may be there already, in a schema of its operator's choice.

CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA mapdiary_closed;

CREATE TABLE mapdiary_closed.title_word (word text COLLATE "C" PRIMARY KEY);
COMMENT ON TABLE mapdiary_closed.title_word IS
    'Words of titles, whoever may see them: a word is suggested only to those who find something by it. recount() takes out what no piece has.';

CREATE FUNCTION letters_of(word text) RETURNS text LANGUAGE sql IMMUTABLE AS
    'SELECT string_agg(letter, '''' ORDER BY letter COLLATE "C") FROM string_to_table(word, NULL) AS letter';

CREATE INDEX title_word_letters ON mapdiary_closed.title_word (letters_of(word));

-- Nearest is a word of the same letters in another order: who types fast exchanges two of them. Both indexes are read for what the
-- word has, and there is no list of what is to be added to the trigrams, which each search would read.
DO $do$
DECLARE
    there CONSTANT text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'pg_trgm');
BEGIN
    EXECUTE format('CREATE INDEX title_word_near ON mapdiary_closed.title_word USING gin (word %s.gin_trgm_ops)'
                   ' WITH (fastupdate = off)', there);
    EXECUTE format($create$
        CREATE FUNCTION near_words(sought text) RETURNS SETOF text LANGUAGE sql STABLE
        SET search_path = mapdiary_closed, %s, pg_temp SET enable_seqscan = off SET pg_trgm.similarity_threshold = 0.3 AS $$
            SELECT word FROM (
                    SELECT word, true AS is_exchanged FROM title_word WHERE mapdiary.letters_of(word) = mapdiary.letters_of(sought)
                    UNION SELECT word, mapdiary.letters_of(word) = mapdiary.letters_of(sought) FROM title_word WHERE word %% sought) w
                ORDER BY is_exchanged DESC, similarity(word, sought) DESC, abs(length(word) - length(sought)), word LIMIT 8
        $$ $create$, there);
END $do$;
COMMENT ON FUNCTION near_words IS
    'Up to eight words of titles, the nearest first: those of the same letters in another order, and those that share trigrams.';

-- Words of three to twenty letters, without digits and without Chinese, Japanese and Korean characters.
CREATE FUNCTION title_words(title text) RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
    SELECT word FROM regexp_split_to_table(title, '[ ' || mapdiary.run_characters() || ']+') AS word
        WHERE length(word) BETWEEN 3 AND 20 AND word !~ '[0-9]'
$$;

-- The words of new titles.
CREATE FUNCTION note_title_words() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO title_word SELECT DISTINCT word FROM changed, title_words(title) AS word ORDER BY word ON CONFLICT DO NOTHING;
    ELSE
        INSERT INTO title_word SELECT DISTINCT word FROM changed c JOIN before b USING (entry_id), title_words(c.title) AS word
            WHERE c.title <> b.title ORDER BY word ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER titled_new AFTER INSERT ON mapdiary_closed.search_entry REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_title_words();
CREATE TRIGGER titled AFTER UPDATE ON mapdiary_closed.search_entry REFERENCING OLD TABLE AS before NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_title_words();
INSERT INTO mapdiary_closed.title_word SELECT DISTINCT word FROM mapdiary_closed.search_entry, title_words(title) AS word;

-- Whether a viewer finds something by these words, among what is indexed. A word that many pieces have is looked for in the newest
-- buckets.
CREATE FUNCTION finds_any(viewer bigint, q text, first_kind integer, last_kind integer) RETURNS boolean LANGUAGE plpgsql STABLE
SET search_path = mapdiary, mapdiary_closed, pg_temp
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
DECLARE
    wanted CONSTANT tsquery := search_query(folded(q), '', NULL);
    is_rare CONSTANT boolean := EXISTS (SELECT FROM unnest(tsvector_to_array(words_of(folded(q)))) AS u (word)
        WHERE NOT EXISTS (SELECT FROM search_common c WHERE c.word = u.word));
    newest CONSTANT bigint := (SELECT max(entry_id) >> 11 FROM search_entry);
BEGIN
    FOR n IN 0 .. CASE WHEN is_rare THEN 0 ELSE 31 END LOOP
        IF EXISTS (SELECT FROM search_entry s, LATERAL (SELECT FROM visible_piece(viewer) t WHERE t.kind = s.kind AND t.number = s.id OFFSET 0) v
                WHERE s.words @@ CASE WHEN is_rare THEN wanted ELSE quote_literal('#s' || newest - n)::tsquery && wanted END
                AND s.kind + 0 BETWEEN first_kind AND last_kind) THEN
            RETURN true;
        END IF;
    END LOOP;
    RETURN false;
END $$;
REVOKE EXECUTE ON FUNCTION near_words, finds_any FROM PUBLIC;

-- A word stays if it finds something. Near words that find something come in the place of the others, the nearest first; if they
-- find nothing together, one of them is another of the near words.
CREATE FUNCTION suggestion(viewer bigint, q text, first_kind integer, last_kind integer) RETURNS text LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
DECLARE
    tries_most CONSTANT integer := 12;
    words text[] := string_to_array(folded_title(folded(q)), ' ');
    near text[];
    best text[] := words;
    others jsonb := '[]';
    other record;
    tries integer := 0;
    tried text[];
BEGIN
    FOR n IN 1 .. coalesce(cardinality(words), 0) LOOP
        CONTINUE WHEN tries >= tries_most OR NOT EXISTS (SELECT FROM title_words(words[n]) AS word WHERE word = words[n]);
        tries := tries + 1;
        CONTINUE WHEN finds_any(viewer, words[n], first_kind, last_kind);
        near := ARRAY(SELECT word FROM near_words(words[n]) AS word WHERE finds_any(viewer, word, first_kind, last_kind));
        IF near = '{}' THEN
            RETURN NULL;
        END IF;
        best[n] := near[1];
        others := others || (SELECT coalesce(jsonb_agg(jsonb_build_object('n', n, 'word', word)), '[]') FROM unnest(near[2:]) AS word);
    END LOOP;
    IF best IS NOT DISTINCT FROM words THEN
        RETURN NULL;
    END IF;
    FOR other IN SELECT NULL::integer AS n, NULL AS word UNION ALL SELECT (o ->> 'n')::integer, o ->> 'word' FROM jsonb_array_elements(others) o LOOP
        EXIT WHEN tries >= tries_most + 12;
        tries := tries + 1;
        tried := best;
        IF other.n IS NOT NULL THEN
            tried[other.n] := other.word;
        END IF;
        IF finds_any(viewer, array_to_string(tried, ' '), first_kind, last_kind) THEN
            RETURN array_to_string(tried, ' ');
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION suggestion IS 'The words of titles that are nearest to those of q and find something, as the viewer sees it; or NULL.';

CREATE OR REPLACE FUNCTION recount() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
BEGIN
    PERFORM recount_map();
    DELETE FROM title_word w WHERE NOT EXISTS (SELECT FROM search_entry e WHERE e.words @@ quote_literal(w.word)::tsquery);
    INSERT INTO search_queue (kind, ids, entry_ids)
        SELECT kind, array_agg(id), array_agg(nextval('search_number')) FROM unlisted_pieces() GROUP BY kind, id >> 6;
    UPDATE indexing SET counted_at = now(), listed_at = NULL;
    RETURN (SELECT coalesce(sum(total), 0) FROM map_cell WHERE level = 4);
END $$;

CALL show_pieces();
