-- Searching by words.

-- The pieces that the indexer has not come to, as a viewer sees them. Of the newest hundred things that wait, 20,000 characters
-- are read, folded as they are compared. A text is read if it has no more bytes than half of the characters that are left, and
-- up to a third of these, so that there is room for titles. Otherwise a new piece is found by its title, and a changed piece by
-- the words that it had. A new comment is found by its own words.
--
-- "sought" are the words of the query. The class is that of found_pieces(), and NULL if a word is missing. A piece with
-- is_whole is not looked for in search_entry.
CREATE FUNCTION read_waiting(viewer bigint, sought text[], wanted tsquery, in_title tsquery, in_text tsquery, first_kind integer,
                             last_kind integer)
RETURNS TABLE (kind integer, id bigint, entry_id bigint, class integer, place point, is_whole boolean) LANGUAGE plpgsql STABLE
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
#variable_conflict use_column
DECLARE
    characters integer := 20000;
    thing record;
    texts text[];
    folded_text text;
    is_read boolean;
    spent bigint;
    words tsvector;
BEGIN
    FOR thing IN
        WITH newest AS MATERIALIZED (SELECT * FROM (
                (SELECT u.* FROM (SELECT * FROM search_queue ORDER BY queue_id DESC LIMIT 100) q,
                    unnest(array_fill(q.kind, ARRAY[cardinality(q.ids)]), q.ids, q.entry_ids) AS u (kind, id, entry_id))
                UNION ALL
                (SELECT u.* FROM (SELECT * FROM arrival ORDER BY entry_ids[1] DESC LIMIT 100) a,
                    unnest(array_fill(a.kind, ARRAY[cardinality(a.ids)]), a.ids, a.entry_ids) AS u (kind, id, entry_id))
                UNION ALL
                (SELECT t.kind, t.id, t.entry_id FROM search_turn t ORDER BY t.entry_id DESC LIMIT 100)) w
                ORDER BY entry_id DESC LIMIT 100),
            things AS (
                SELECT kind % 3 AS kind, id, NULL::bigint AS comment_id, NULL::integer AS size, max(entry_id) AS entry_id
                    FROM newest WHERE kind < 6 GROUP BY 1, 2
                UNION ALL
                SELECT c.kind, c.number, comment_id, octet_length(comment) + coalesce(octet_length(reply), 0), entry_id
                    FROM newest n JOIN comment c ON n.kind = 6 AND comment_id = id AND hidden IS NULL)
        SELECT l.kind, l.id, coalesce(e.entry_id, t.entry_id) AS entry_id, t.comment_id, e.entry_id IS NOT NULL AS is_known,
               l.title, point(l.lng::float8, l.lat::float8) AS place,
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
        -- A word is a part of the folded text: most texts need not be taken apart into words.
        words := CASE
            WHEN EXISTS (SELECT FROM unnest(sought) AS word WHERE strpos(concat_ws(' ', VARIADIC texts), word) = 0) THEN ''
            ELSE words_of_folded(texts[1], texts[2], texts[3]) END;
        kind := thing.kind;
        id := thing.id;
        entry_id := thing.entry_id;
        class := CASE WHEN words @@ in_title THEN 0 WHEN words @@ in_text THEN 1 WHEN words @@ wanted THEN 2 END;
        place := thing.place;
        is_whole := thing.comment_id IS NULL;
        RETURN NEXT;
    END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION read_waiting FROM PUBLIC;

-- Of the newest thousand pieces, those behind a position are answered, the best first. The class is 0 if the title has all
-- words, 1 if title and text have them, else 2. Within a class the nearer pieces come first, or without a place the newer.
CREATE FUNCTION found_pieces(viewer bigint, q text, first_kind integer, last_kind integer, at_lat float8, at_lng float8,
                             after_class integer, after_far float8, after_kind integer, after_id bigint, most integer)
RETURNS TABLE (kind integer, id bigint, class integer, far float8) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET enable_material = off AS $$
#variable_conflict use_column
DECLARE
    enough CONSTANT integer := 1000;
    wanted CONSTANT tsquery := search_query(q, '');
    in_title CONSTANT tsquery := search_query(q, ':A');
    in_text CONSTANT tsquery := search_query(q, ':AB');
    sought CONSTANT text[] := tsvector_to_array(words_of(folded(q)));
    entries bigint[] := '{}';
    kinds integer[] := '{}';
    ids bigint[] := '{}';
    classes integer[] := '{}';
    places point[] := '{}';
    stage record;
    page record;
    highest bigint;
    lowest bigint;
    is_rare boolean;
    waiting_kinds integer[];
    waiting_ids bigint[];
    waiting_entries bigint[];
    waiting_classes integer[];
    waiting_places point[];
    read_kinds integer[];
    read_ids bigint[];
BEGIN
    IF wanted IS NULL THEN
        RETURN;
    END IF;
    -- If one of the words is rare, few pieces have it; else pieces are looked for from the newest bucket on.
    is_rare := EXISTS (SELECT FROM unnest(sought) AS u (word) WHERE NOT EXISTS (SELECT FROM search_common c WHERE c.word = u.word));
    SELECT max(e.entry_id), min(e.entry_id) INTO highest, lowest FROM search_entry e;
    SELECT array_agg(w.kind), array_agg(w.id), array_agg(w.entry_id), array_agg(w.class), array_agg(w.place),
           array_agg(w.kind) FILTER (WHERE w.is_whole), array_agg(w.id) FILTER (WHERE w.is_whole)
        INTO waiting_kinds, waiting_ids, waiting_entries, waiting_classes, waiting_places, read_kinds, read_ids
        FROM read_waiting(viewer, sought, wanted, in_title, in_text, first_kind, last_kind) w;
    -- With a sum, because PostgreSQL would otherwise read the whole index of kinds beside that of words.
    FOR stage IN
        SELECT 0 AS n, NULL AS bucket, NULL::bigint AS below WHERE is_rare
        UNION ALL
        SELECT 1, '#s' || b, NULL FROM generate_series(highest >> 11, greatest(highest >> 14 << 3, lowest >> 11), -1) AS b
            WHERE NOT is_rare
        UNION ALL
        SELECT 2, '#m' || b, NULL
            FROM generate_series((highest >> 14) - 1, greatest(highest >> 18 << 4, lowest >> 14), -1) AS b WHERE NOT is_rare
        UNION ALL
        SELECT 3, '#l' || b, NULL FROM generate_series((highest >> 18) - 1, lowest >> 18, -1) AS b WHERE NOT is_rare
    LOOP
        SELECT array_agg(f.entry_id) AS entries, array_agg(f.kind) AS kinds, array_agg(f.id) AS ids,
               array_agg(f.class) AS classes, array_agg(f.place) AS places INTO page
        FROM (
            SELECT e.entry_id, e.kind, e.id, v.place,
                   CASE WHEN e.words @@ in_title THEN 0 WHEN e.words @@ in_text THEN 1 ELSE 2 END AS class
            FROM (SELECT * FROM search_entry s
                  WHERE s.words @@ CASE WHEN stage.bucket IS NULL THEN wanted ELSE quote_literal(stage.bucket)::tsquery && wanted END
                  AND s.kind + 0 BETWEEN first_kind AND last_kind ORDER BY s.entry_id DESC) e,
                 LATERAL (SELECT point(t.lng::float8, t.lat::float8) AS place FROM visible_piece(viewer) t
                    WHERE t.kind = e.kind AND t.number = e.id OFFSET 0) v
            WHERE read_kinds IS NULL
                OR NOT EXISTS (SELECT FROM unnest(read_kinds, read_ids) AS p (k, i) WHERE p.k = e.kind AND p.i = e.id)
            LIMIT enough - cardinality(entries)) f;
        entries := entries || page.entries;
        kinds := kinds || page.kinds;
        ids := ids || page.ids;
        classes := classes || page.classes;
        places := places || page.places;
        EXIT WHEN cardinality(entries) >= enough;
    END LOOP;
    RETURN QUERY
    SELECT r.kind, r.id, r.class, r.far FROM (
        SELECT m.kind, m.id, m.class, CASE WHEN at_lat IS NULL THEN -m.entry_id
                ELSE sphere_distance(at_lat, at_lng, m.place[1], m.place[0]) END AS far
        FROM (
            SELECT * FROM unnest(entries, kinds, ids, classes, places) AS f (entry_id, kind, id, class, place)
            UNION ALL
            (SELECT DISTINCT ON (w.kind, w.id) *
                FROM unnest(waiting_entries, waiting_kinds, waiting_ids, waiting_classes, waiting_places)
                    AS w (entry_id, kind, id, class, place)
                WHERE w.class IS NOT NULL
                AND NOT EXISTS (SELECT FROM unnest(kinds, ids) AS f (kind, id) WHERE f.kind = w.kind AND f.id = w.id)
                ORDER BY w.kind, w.id, w.class)
            ORDER BY 1 DESC LIMIT enough) m) r
        WHERE (r.class, r.far, r.kind, r.id) > (after_class, after_far, after_kind, after_id)
        ORDER BY r.class, r.far, r.kind, r.id LIMIT most;
END $$;
COMMENT ON FUNCTION found_pieces IS 'The pieces that have all words of a text, as the viewer sees them, the best first.';
