-- The words by which pieces are found.

CREATE SEQUENCE mapdiary_closed.search_number;
CREATE TABLE mapdiary_closed.search_entry (
    entry_id bigint PRIMARY KEY,
    kind     integer NOT NULL,
    id       bigint NOT NULL,
    words    tsvector NOT NULL,
    UNIQUE (kind, id)
);
ALTER TABLE mapdiary_closed.search_entry ALTER words SET STATISTICS 300;
-- Additions wait until the end of a batch, and go into the index together, in half the time.
CREATE INDEX search_entry_words ON mapdiary_closed.search_entry USING gin (words) WITH (gin_pending_list_limit = 65536);
COMMENT ON TABLE mapdiary_closed.search_entry IS 'The words of each piece.';
COMMENT ON COLUMN mapdiary_closed.search_entry.entry_id IS 'The newer the piece, the higher. Pieces of search_old have none above 0.';
COMMENT ON COLUMN mapdiary_closed.search_entry.words IS
    'With words such as "#s3" for the buckets of entry_id: s of 2,048, m of 16,384, l of 262,144. So the newest pieces are found first.';

CREATE TABLE mapdiary_closed.search_queue (
    queue_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind       integer NOT NULL,
    ids        bigint[] NOT NULL,
    entry_ids  bigint[] NOT NULL,
    account_id bigint
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
COMMENT ON TABLE mapdiary_closed.search_queue IS
    'Things whose words may have changed, some in a row. New pieces come here by way of arrival.';
COMMENT ON COLUMN mapdiary_closed.search_queue.kind IS
    '0 to 2: pieces. 3 to 5: pieces of kind 0 to 2 whose comments are read anew. 6: comments whose words are added to their pieces.';
COMMENT ON COLUMN mapdiary_closed.search_queue.entry_ids IS 'For search_entry, if the piece has none.';
COMMENT ON COLUMN mapdiary_closed.search_queue.account_id IS 'The account that caused it; NULL is the owner of the piece.';

-- The first thing of an account gets the turn that is due; each further one a turn that is later by the size of the one before.
-- So accounts share the indexer alike, and an account that has written little waits for no account that has written much. A size
-- is in bytes, because PostgreSQL knows the bytes of a text without reading it.
CREATE TABLE mapdiary_closed.search_turn (
    kind       integer NOT NULL,
    id         bigint NOT NULL,
    entry_id   bigint NOT NULL,
    account_id bigint NOT NULL,
    size       bigint NOT NULL,
    turn       bigint NOT NULL,
    failures   integer NOT NULL DEFAULT 0,
    not_before timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (kind, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
CREATE INDEX search_turn_next ON mapdiary_closed.search_turn (turn, entry_id);
CREATE INDEX search_turn_of_account ON mapdiary_closed.search_turn (account_id, turn);
CREATE INDEX search_turn_newest ON mapdiary_closed.search_turn (entry_id);
-- No failure puts off a thing for longer than 512 minutes. A later moment is that of a clock that was ahead.
CREATE FUNCTION mapdiary_closed.is_due(not_before timestamptz) RETURNS boolean LANGUAGE sql STABLE
    RETURN not_before <= now() OR not_before > now() + interval '512 minutes';
COMMENT ON TABLE mapdiary_closed.search_turn IS 'Large things of search_queue wait here for the turns of their accounts.';
COMMENT ON COLUMN mapdiary_closed.search_turn.turn IS 'The indexer takes the lowest.';
COMMENT ON COLUMN mapdiary_closed.search_turn.not_before IS 'A thing that has failed is not tried before.';

CREATE TABLE mapdiary_closed.search_old (
    entry_id bigint PRIMARY KEY,
    kind     integer NOT NULL,
    id       bigint NOT NULL,
    UNIQUE (kind, id)
);
COMMENT ON TABLE mapdiary_closed.search_old IS 'Pieces whose words are noted anew when nothing else waits.';

CREATE TABLE mapdiary_closed.search_common (word text PRIMARY KEY);
COMMENT ON TABLE mapdiary_closed.search_common IS 'Words that many pieces have, as ANALYZE has found.';

CREATE VIEW mapdiary_closed.search_waiting AS
    SELECT kind, id, entry_id FROM (
        SELECT kind, ids, entry_ids FROM mapdiary_closed.search_queue
        UNION ALL SELECT kind, ids, entry_ids FROM mapdiary_closed.arrival) q, unnest(ids, entry_ids) AS piece (id, entry_id)
    UNION ALL SELECT kind, id, entry_id FROM mapdiary_closed.search_turn;
COMMENT ON VIEW mapdiary_closed.search_waiting IS 'All that the indexer has not noted yet.';

-- From texts to words ------------------------------------------------------------------------------------------------

-- Roughly what people see of HTML. In an expression with branches no quantifier is lazy (PostgreSQL manual, 9.7.3.5), so each
-- construct with an end of its own has a call of its own. No expression has a back-reference, whose time would grow with the
-- cube of a hostile text.
CREATE FUNCTION plain_text(html text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN html !~ '[<&]' THEN html ELSE replace(replace(replace(replace(replace(
        regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(html,
            '<!--.*?-->', ' ', 'g'),
            '<script\y.*?</script\s*>', ' ', 'gi'),
            '<style\y.*?</style\s*>', ' ', 'gi'),
            '</?(?:a|abbr|b|bdi|bdo|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|tt|u|var|wbr)(?:\s(?:"[^"]*"|''[^'']*''|[^''"<>])*)?/?>', '', 'gi'),
            '</?[a-z!](?:"[^"]*"|''[^'']*''|[^''"<>])*>', ' ', 'gi'),
        '&nbsp;', ' '), '&lt;', '<'), '&gt;', '>'), '&quot;', '"'), '&amp;', '&') END
$$;

-- Words in one form, without case, accents and width; all else becomes a blank. The locale of the database does not matter. The
-- characters of the second case have no other form, so they are not decomposed and composed again.
CREATE FUNCTION folded(t text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN octet_length(t) = length(t) THEN regexp_replace(lower(t COLLATE "und-x-icu"), '[^a-z0-9]+', ' ', 'g')
    WHEN t !~ '[^\x01-\x7f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0002a6df]'
        THEN regexp_replace(lower(t COLLATE "und-x-icu"), '[^[:alnum:]]+' COLLATE "und-x-icu", ' ', 'g')
    ELSE regexp_replace(replace(replace(replace(replace(translate(
        normalize(regexp_replace(normalize(lower(normalize(t, NFKC) COLLATE "und-x-icu"), NFKD), '[\u0300-\u036f\u200b-\u200d\u2060\ufeff\u00ad]+', '', 'g'), NFKC),
        'ıøłđðħŧς', 'iolddhtσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
        '[^[:alnum:]]+' COLLATE "und-x-icu", ' ', 'g') END
$$;

-- The first characters of a text, folded. It is folded part by part, because NFKC makes up to 18 characters of one. It is
-- composed first, so that no part begins with a mark of the character before. A sequence of marks would be put in order by
-- comparing each with all, so long sequences that are nothing or a blank when they are folded are so before.
CREATE FUNCTION folded_by_parts(t text, most integer) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
    part CONSTANT integer := greatest(1000, most / 12);
    long CONSTANT text := '[^[:alnum:]\x01-\x7f\u00b2-\u00be\u2070-\u20a8\u2100-\u218f\u2460-\u24ff\u2e80-\u2fdf\u3038-\u303a\u3190-\u33ff'
        '\ufdfc\U0001f100-\U0001f2ff]{31,}';
    done text := '';
BEGIN
    IF t ~ long COLLATE "und-x-icu" THEN
        t := regexp_replace(t, '[\u0300-\u036f\u200b-\u200d\u2060\ufeff\u00ad]{31,}', '', 'g');
        t := regexp_replace(t, long COLLATE "und-x-icu", ' ', 'g');
    END IF;
    t := normalize(t, NFC);
    FOR n IN 0 .. length(t) / part LOOP
        done := done || mapdiary.folded(substr(t, 1 + n * part, part));
        EXIT WHEN length(done) >= most;
    END LOOP;
    RETURN left(done, most);
END $$;
-- It is inlined.
CREATE FUNCTION folded_within(t text, most integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN length(t) <= 1000 THEN left(mapdiary.folded(t), most) ELSE mapdiary.folded_by_parts(t, most) END
$$;

-- Of folded text: the words, and of Chinese, Japanese and Korean characters in a row each one and each two. All twos are at one
-- position, because phrases are found by the ones. The twos are cut out by "..", which PostgreSQL matches several times faster
-- than a class of characters; \x01 stands for what is between rows, and what is cut out with it is no two. Behind the last
-- position that a tsvector has, words are taken once only, because reading a word again costs more than sorting it.
CREATE FUNCTION words_of(t text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    last CONSTANT integer := 16383;
    rows text;
    ones text[];
BEGIN
    IF t !~ '[\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]' THEN
        RETURN to_tsvector('pg_catalog.simple', t);
    END IF;
    rows := regexp_replace(t, '[^\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]+', E'\x01', 'g');
    ones := CASE WHEN t ~ '[^ \u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]'
        THEN string_to_array(regexp_replace(t, '[\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]', ' \& ', 'g'), ' ')
        ELSE string_to_array(t, NULL) END;
    ones := array_remove(array_remove(ones, ''), ' ');
    RETURN to_tsvector('pg_catalog.simple', array_to_string(ones[:last], ' '))
        || to_tsvector('pg_catalog.simple', array_to_string(tsvector_to_array(array_to_tsvector(ones[last + 1:])), ' '))
        || regexp_replace(regexp_replace(rows, '..', '\&:1 ', 'g') || E'\x01 '
            || regexp_replace(substr(rows, 2), '..', '\&:1 ', 'g') || E'\x01 ', '[^ ]?\x01[^ ]* ', '', 'g')::tsvector;
END $$;

-- The words of a folded title, text and comments. PostgreSQL keeps 255 positions of a word, up to 16383 (PostgreSQL manual,
-- 12.10); a text with more has the word "#long".
CREATE FUNCTION words_of_folded(title text, body text, comments text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    words tsvector := setweight(mapdiary.words_of(title), 'A');
    long CONSTANT integer := length(title) + length(body) + length(comments);
BEGIN
    IF body <> '' THEN
        words := words || setweight(mapdiary.words_of(body), 'B');
    END IF;
    IF comments <> '' THEN
        words := words || setweight(mapdiary.words_of(comments), 'D');
    END IF;
    IF long > 6000 OR long >= 255 AND EXISTS (SELECT FROM unnest(words) u WHERE cardinality(positions) >= 255) THEN
        words := words || quote_literal('#long')::tsvector;
    END IF;
    RETURN words;
END $$;
CREATE FUNCTION words_within(title text, body text, comments text, most integer) RETURNS tsvector
LANGUAGE sql IMMUTABLE AS $$
    SELECT mapdiary.words_of_folded(mapdiary.folded_within(title, most), mapdiary.folded_within(body, most),
                                    mapdiary.folded_within(comments, most))
$$;
CREATE FUNCTION bucket_words(entry bigint) RETURNS tsvector LANGUAGE sql IMMUTABLE AS $$
    SELECT array_to_tsvector(ARRAY['#s' || (entry >> 11), '#m' || (entry >> 14), '#l' || (entry >> 18)])
$$;

-- A tsvector holds a mebibyte. If the words do not fit, fewer characters are read.
CREATE FUNCTION words_of_texts(title text, body text, comments text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    words tsvector;
BEGIN
    body := coalesce(body, '');
    comments := left(coalesce(comments, ''), 100000);
    IF length(body) + length(comments) < 20000 THEN
        RETURN mapdiary.words_within(title, body, comments, 20000);
    END IF;
    BEGIN
        words := mapdiary.words_within(title, body, comments, 100000);
        PERFORM words || mapdiary.bucket_words(9223372036854775807); -- these must fit, too
        RETURN words;
    EXCEPTION WHEN program_limit_exceeded THEN
        RETURN mapdiary.words_within(title, body, comments, 16000);
    END;
END $$;

-- The words of an entry with those of further comments, or with all its comments instead of those that it has. If they do not
-- fit into a tsvector, the older comments are left out.
CREATE FUNCTION with_comments(words tsvector, comments text, is_all boolean, entry bigint) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    is_long boolean := words @@ '''#long'''::tsquery;
    base tsvector := CASE WHEN is_all THEN ts_filter(words, '{a,b}') ELSE words END;
    more tsvector;
    most integer;
BEGIN
    FOREACH most IN ARRAY ARRAY[100000, 16000, 1000, 0] LOOP
        BEGIN
            more := setweight(mapdiary.words_of(mapdiary.folded_within(coalesce(comments, ''), most)), 'D');
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
-- Japanese or Korean characters of q have to follow each other, but for long texts their order is not known. NULL if q has no word.
CREATE FUNCTION search_query(q text, weights text) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE SET search_path = mapdiary AS $$
DECLARE
    t CONSTANT text := folded(q);
    wanted text;
    run text[];
BEGIN
    SELECT string_agg(quote_literal(word) || weights, ' & ') INTO wanted FROM unnest(tsvector_to_array(words_of(t))) AS word;
    FOR run IN SELECT regexp_matches(t, '[\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]{3,}', 'g') LOOP
        wanted := wanted || ' & (''#long'' | '
            || (SELECT string_agg(quote_literal(c) || weights, ' <-> ' ORDER BY n)
                FROM unnest(string_to_array(run[1], NULL)) WITH ORDINALITY AS u (c, n)) || ')';
    END LOOP;
    RETURN wanted::tsquery;
END $$;

-- The texts that a search finds a piece by: its title, its text or the descriptions of its photos, and its newest comments.
-- There is no row for a piece that does not exist. The function is inlined.
CREATE FUNCTION piece_texts(of_kind integer, identifier bigint) RETURNS TABLE (title text, body text, comments text)
LANGUAGE sql STABLE AS $$
    SELECT t.title::text,
           CASE WHEN t.kind = 2 THEN mapdiary.plain_text(t.content)
                ELSE (SELECT string_agg(left(description, 2000), ' . ') FROM (SELECT description FROM mapdiary.photo p
                          WHERE p.kind = t.kind AND p.number = t.number AND description <> '' AND hidden IS NULL
                          ORDER BY position LIMIT 500) p) END,
           (SELECT string_agg(concat_ws(' . ', comment, reply), ' . ') FROM (SELECT * FROM mapdiary.comment c
                WHERE c.kind = t.kind AND c.number = t.number AND hidden IS NULL ORDER BY created_at DESC LIMIT 500) c)
        FROM mapdiary.piece t WHERE t.kind = of_kind AND t.number = identifier
$$;

-- The owner of a thing's piece, and how many bytes are read for the thing. An added comment counts an eighth of the words of
-- its piece, too, because the index takes all words of a row that changes. No row if the thing is gone. It is inlined.
CREATE FUNCTION search_size(of_kind integer, identifier bigint) RETURNS TABLE (account_id bigint, size bigint)
LANGUAGE sql STABLE AS $$
    SELECT t.owner_id, octet_length(t.title) + coalesce(octet_length(t.content), 0)
           + coalesce((SELECT sum(octet_length(description))
                FROM (SELECT description FROM mapdiary.photo p WHERE p.kind = t.kind AND p.number = t.number LIMIT 500) p), 0)
           + coalesce((SELECT sum(octet_length(comment) + coalesce(octet_length(reply), 0)) FROM (
                SELECT comment, reply FROM mapdiary.comment c WHERE c.kind = t.kind AND c.number = t.number LIMIT 500) c), 0)
        FROM mapdiary.piece t WHERE of_kind < 6 AND t.kind = of_kind % 3 AND t.number = identifier
    UNION ALL
    SELECT t.owner_id, octet_length(c.comment) + coalesce(octet_length(c.reply), 0)
           + coalesce((SELECT pg_column_size(e.words) / 8 FROM mapdiary_closed.search_entry e
                WHERE e.kind = c.kind AND e.id = c.number), 0)
        FROM mapdiary.comment c JOIN mapdiary.piece t USING (kind, number) WHERE of_kind = 6 AND c.comment_id = identifier
$$;

-- The consequences of a write ---------------------------------------------------------------------------------------

-- A comment that is inserted alone, as by a request, is added to its piece. If many are inserted together, the comments of each
-- piece are read anew.
CREATE FUNCTION note_comments() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
DECLARE
    is_added CONSTANT boolean := TG_OP = 'INSERT' AND (SELECT count(*) FROM (SELECT FROM changed LIMIT 2) c) = 1;
BEGIN
    INSERT INTO search_queue (kind, ids, entry_ids, account_id)
        SELECT kind, array_agg(id), array_agg(nextval('search_number')), commenter_id FROM (
            SELECT DISTINCT CASE WHEN is_added THEN 6 ELSE 3 + kind END AS kind,
                   CASE WHEN is_added THEN comment_id ELSE number END AS id, commenter_id
            FROM changed) AS thing
        GROUP BY kind, commenter_id, id >> 6;
    RETURN NULL;
END $$;
-- A new reply is added with its comment. The owner of the piece has written it, and operators hide comments, so the owner is
-- the account unless the comment itself has changed.
CREATE FUNCTION reword_comment() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
DECLARE
    is_added CONSTANT boolean := OLD.reply IS NULL AND (OLD.comment, OLD.hidden) IS NOT DISTINCT FROM (NEW.comment, NEW.hidden);
BEGIN
    INSERT INTO search_queue (kind, ids, entry_ids, account_id) VALUES (
        CASE WHEN is_added THEN 6 ELSE 3 + NEW.kind END, ARRAY[CASE WHEN is_added THEN NEW.comment_id ELSE NEW.number END],
        ARRAY[nextval('search_number')], CASE WHEN OLD.comment IS DISTINCT FROM NEW.comment THEN NEW.commenter_id END);
    RETURN NULL;
END $$;
CREATE TRIGGER words_new AFTER INSERT ON comment REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_comments();
CREATE TRIGGER words_gone AFTER DELETE ON comment REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_comments();
CREATE TRIGGER reworded AFTER UPDATE ON comment FOR EACH ROW
    WHEN ((OLD.comment, OLD.reply, OLD.hidden) IS DISTINCT FROM (NEW.comment, NEW.reply, NEW.hidden))
    EXECUTE FUNCTION reword_comment();

CREATE FUNCTION reword_described() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
BEGIN
    INSERT INTO search_queue (kind, ids, entry_ids)
        SELECT kind, array_agg(number), array_agg(nextval('search_number'))
            FROM (SELECT DISTINCT kind, number FROM changed WHERE description <> '') AS described
            GROUP BY kind, number >> 6;
    RETURN NULL;
END $$;
CREATE FUNCTION reword_photo() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
BEGIN
    INSERT INTO search_queue (kind, ids, entry_ids)
        VALUES (NEW.kind, ARRAY[NEW.number], ARRAY[nextval('search_number')]);
    RETURN NULL;
END $$;
CREATE TRIGGER words_new AFTER INSERT ON photo REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION reword_described();
CREATE TRIGGER words_gone AFTER DELETE ON photo REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION reword_described();
CREATE TRIGGER reworded AFTER UPDATE ON photo FOR EACH ROW
    WHEN ((OLD.description, OLD.hidden) IS DISTINCT FROM (NEW.description, NEW.hidden))
    EXECUTE FUNCTION reword_photo();
