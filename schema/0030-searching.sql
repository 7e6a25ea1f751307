-- What every search does before and after it reads entries, with less work.

-- Of what a search asks for, the words that are not among those that many pieces have; NULL if all are. All words, if some have
-- apostrophes: these are found in two ways. PL/pgSQL keeps the plan of its query, and SQL would make one for each call.
CREATE OR REPLACE FUNCTION rare_query(w search_words) RETURNS tsquery LANGUAGE plpgsql STABLE
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
BEGIN
    RETURN (SELECT CASE
            WHEN EXISTS (SELECT FROM search_common c WHERE c.word = ANY (w.joined)) THEN NULL
            WHEN count(*) > 0 AND cardinality(w.joined) > 0 THEN w.begun
            ELSE string_agg(query_word(word, '', w.beginning), ' & ')::tsquery END
        FROM unnest(w.sought) AS u (word)
        WHERE NOT EXISTS (SELECT FROM search_common c WHERE c.word = u.word OR u.word = w.beginning AND c.word = '^' || u.word));
END $$;

-- The newest hundred pieces whose title is the text, and the newest thousand with all its words; of these, those behind a position
-- are answered, the best first: by class, by the distance or the higher score, and by the age, which is less for a newer piece.
CREATE OR REPLACE FUNCTION found_pieces(viewer bigint, q text, first_kind integer, last_kind integer, at_lat float8, at_lng float8,
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
    rare CONSTANT tsquery := rare_query(w);
    upper bigint;
    lowest bigint;
    level text := 's';
    bits integer := 11;
    found integer;
    width bigint;
BEGIN
    IF w.whole IS NULL THEN
        RETURN;
    END IF;
    SELECT max(e.entry_id), min(e.entry_id) INTO upper, lowest FROM search_entry e;
    waiting := ARRAY(SELECT (r.entry_id, r.kind, r.id, r.class, r.place, r.score, r.is_whole)::found_piece
        FROM read_waiting(viewer, w, first_kind, last_kind) r);
    titled := ARRAY(SELECT (e.entry_id, e.kind, e.id, 0, v.place, v.score, false)::found_piece
        FROM (SELECT * FROM search_entry s WHERE s.title = w.title AND s.kind + 0 BETWEEN first_kind AND last_kind
                ORDER BY s.entry_id DESC) e,
             LATERAL (SELECT CASE WHEN at_lat IS NOT NULL THEN point(t.lng::float8, t.lat::float8) END AS place, t.score
                FROM visible_piece(viewer) t WHERE t.kind = e.kind AND t.number = e.id OFFSET 0) v
        WHERE NOT EXISTS (SELECT FROM unnest(waiting) r WHERE r.is_whole AND r.kind = e.kind AND r.id = e.id)
        LIMIT titled_most);
    titled_entries := ARRAY(SELECT t.entry_id FROM unnest(titled) t);
    -- The pieces that have the rare words are read for the other words: the index would look for each of them once more for each
    -- of its words. If no word is rare, pieces are looked for from the newest bucket on. With a sum, because PostgreSQL would
    -- otherwise read the whole index of kinds beside that of words.
    WHILE upper >= lowest AND cardinality(others) < others_most LOOP
        found := cardinality(others);
        others := others || ARRAY(SELECT (e.entry_id, e.kind, e.id, match_class(e.title, e.words, w), v.place, v.score, false)::found_piece
            FROM (SELECT * FROM search_entry s
                  WHERE s.words @@ coalesce(rare, quote_literal('#' || level || (upper >> bits))::tsquery && w.begun)
                  AND (rare IS NULL OR s.words @@ w.begun)
                  AND s.kind + 0 BETWEEN first_kind AND last_kind AND s.entry_id <> ALL (titled_entries)
                  ORDER BY s.entry_id DESC) e,
                 LATERAL (SELECT CASE WHEN at_lat IS NOT NULL THEN point(t.lng::float8, t.lat::float8) END AS place, t.score
                    FROM visible_piece(viewer) t WHERE t.kind = e.kind AND t.number = e.id OFFSET 0) v
            WHERE NOT EXISTS (SELECT FROM unnest(waiting) r WHERE r.is_whole AND r.kind = e.kind AND r.id = e.id)
            LIMIT others_most - cardinality(others));
        EXIT WHEN rare IS NOT NULL;
        width := upper - (upper >> bits << bits) + 1;
        upper := upper - width;
        -- A larger bucket comes next if it ends here and has few pieces too many.
        SELECT b.level, b.bits INTO level, bits FROM (VALUES ('s', 11), ('m', 14), ('l', 18)) AS b (level, bits)
            WHERE b.bits = 11 OR (upper + 1) % (1 << b.bits) = 0
                AND ((cardinality(others) - found)::bigint << b.bits) / width <= others_most - cardinality(others)
            ORDER BY b.bits DESC LIMIT 1;
    END LOOP;
    IF cardinality(waiting) > 0 THEN
        others := ARRAY(SELECT (o.entry_id, o.kind, o.id, o.class, o.place, o.score, o.is_whole)::found_piece
            FROM (SELECT * FROM unnest(others)
                  UNION ALL
                  (SELECT DISTINCT ON (n.kind, n.id) * FROM unnest(waiting) n
                      WHERE n.class IS NOT NULL AND n.entry_id <> ALL (titled_entries)
                      AND NOT EXISTS (SELECT FROM unnest(others) o WHERE o.kind = n.kind AND o.id = n.id)
                      ORDER BY n.kind, n.id, n.class)) o
            ORDER BY o.entry_id DESC LIMIT others_most);
    END IF;
    RETURN QUERY
    SELECT r.kind, r.id, r.class, r.far, r.age FROM (
        SELECT m.kind, m.id, m.class, -m.entry_id AS age,
               CASE WHEN at_lat IS NULL THEN -m.score ELSE sphere_distance(at_lat, at_lng, m.place[1], m.place[0]) END AS far
        FROM unnest(titled || others) m) r
        WHERE (r.class, r.far, r.age) > (after_class, after_far, after_age)
        ORDER BY r.class, r.far, r.age LIMIT most;
END $$;

CALL show_pieces();
