-- What an operator of a public community does: reports by readers, decisions with who, when and why, rules for new accounts and
-- for words. What is hidden, may_see_album() and its like keep from others.

-- Reports ------------------------------------------------------------------------------------------------------------

-- Of a user and a thing there is one. Without a reporter it is of the words that an operator has listed, which hold the thing
-- back. It goes with its thing.
CREATE TYPE report_state AS ENUM ('open', 'upheld', 'dismissed');
CREATE TABLE report (
    report_id   bigint GENERATED ALWAYS AS IDENTITY (MAXVALUE 9007199254740991) PRIMARY KEY,
    reporter_id bigint REFERENCES user_account ON DELETE CASCADE,
    album_id    bigint REFERENCES album ON DELETE CASCADE,
    poi_id      bigint REFERENCES poi ON DELETE CASCADE,
    blog_id     bigint REFERENCES blog ON DELETE CASCADE,
    comment_id  bigint REFERENCES comment ON DELETE CASCADE,
    photo_id    bigint REFERENCES photo ON DELETE CASCADE,
    reason      xml_text NOT NULL CHECK (char_length(reason) BETWEEN 1 AND 1000),
    reported_at timestamptz NOT NULL DEFAULT now(),
    state       report_state NOT NULL DEFAULT 'open',
    decided_at  timestamptz,
    CHECK (num_nonnulls(album_id, poi_id, blog_id, comment_id, photo_id) = 1),
    CHECK ((state = 'open') = (decided_at IS NULL))
);
CREATE UNIQUE INDEX report_album ON report (album_id, reporter_id) WHERE album_id IS NOT NULL;
CREATE UNIQUE INDEX report_poi ON report (poi_id, reporter_id) WHERE poi_id IS NOT NULL;
CREATE UNIQUE INDEX report_blog ON report (blog_id, reporter_id) WHERE blog_id IS NOT NULL;
CREATE UNIQUE INDEX report_comment ON report (comment_id, reporter_id) WHERE comment_id IS NOT NULL;
CREATE UNIQUE INDEX report_photo ON report (photo_id, reporter_id) WHERE photo_id IS NOT NULL;
CREATE INDEX report_reporter ON report (reporter_id) WHERE reporter_id IS NOT NULL;
CREATE INDEX report_open ON report (report_id) WHERE state = 'open';

-- What a report or a decision is about, as "album:7". A set of identifiers has one that is not NULL.
CREATE FUNCTION thing_name(album_id bigint, poi_id bigint, blog_id bigint, comment_id bigint, photo_id bigint)
RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce('album:' || album_id, 'poi:' || poi_id, 'blog:' || blog_id, 'comment:' || comment_id, 'photo:' || photo_id)
$$;

-- Whoever watches is told of each, once it is committed.
CREATE FUNCTION tell_report() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('mapdiary_report', NEW.report_id::text);
    RETURN NULL;
END $$;
CREATE TRIGGER report_told AFTER INSERT ON report FOR EACH ROW EXECUTE FUNCTION tell_report();

-- Whose a thing is; without a row where this viewer may not see it.
CREATE FUNCTION thing_owner(viewer bigint, of_album bigint, of_poi bigint, of_blog bigint, of_comment bigint, of_photo bigint)
RETURNS SETOF bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
    SELECT owner_id FROM visible_album(viewer) WHERE album_id = of_album
    UNION ALL SELECT owner_id FROM visible_poi(viewer) WHERE poi_id = of_poi
    UNION ALL SELECT author_id FROM visible_blog(viewer) WHERE blog_id = of_blog
    UNION ALL SELECT c.commenter_id FROM comment c LEFT JOIN visible_album(viewer) a USING (album_id)
            LEFT JOIN visible_poi(viewer) p USING (poi_id) LEFT JOIN visible_blog(viewer) b USING (blog_id)
        WHERE c.comment_id = of_comment AND may_list_comment(c.commenter_id, c.hidden, viewer)
        AND num_nonnulls(a.owner_id, p.owner_id, b.author_id) = 1
    UNION ALL SELECT coalesce(a.owner_id, o.owner_id) FROM photo p LEFT JOIN visible_album(viewer) a USING (album_id)
            LEFT JOIN visible_poi(viewer) o USING (poi_id)
        WHERE p.photo_id = of_photo AND num_nonnulls(a.owner_id, o.owner_id) = 1
        AND may_see_photo(coalesce(a.owner_id, o.owner_id), p.hidden, viewer)
$$;

-- Notes a report. NULL where the reporter does not see such a thing; MD005 where it is the reporter's own.
CREATE FUNCTION add_report(reporter bigint, of_album bigint, of_poi bigint, of_blog bigint, of_comment bigint, of_photo bigint,
                           why text)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
DECLARE
    owner CONSTANT bigint := thing_owner(reporter, of_album, of_poi, of_blog, of_comment, of_photo);
BEGIN
    IF owner = reporter THEN
        RAISE EXCEPTION USING ERRCODE = 'MD005', MESSAGE = 'the thing is the user''s own';
    END IF;
    INSERT INTO report (reporter_id, album_id, poi_id, blog_id, comment_id, photo_id, reason)
        SELECT reporter, of_album, of_poi, of_blog, of_comment, of_photo, why WHERE owner IS NOT NULL ON CONFLICT DO NOTHING;
    RETURN nullif(owner IS NOT NULL, false);
EXCEPTION
    WHEN foreign_key_violation THEN -- it went at the same moment
        RETURN NULL;
END $$;

-- Decisions ----------------------------------------------------------------------------------------------------------

-- What was decided about which thing or user ("user:7"), by whom and why, and by what rule or law: for good, also when the thing
-- is gone. Rows are added, and nothing else.
CREATE TYPE decision_action AS ENUM ('hide', 'unhide', 'dismiss', 'block', 'unblock');
CREATE TABLE decision (
    decision_id bigint GENERATED ALWAYS AS IDENTITY (MAXVALUE 9007199254740991) PRIMARY KEY,
    decided_at  timestamptz NOT NULL DEFAULT now(),
    decided_by  text_line NOT NULL,
    action      decision_action NOT NULL,
    thing       text NOT NULL CHECK (thing ~ '^(album|poi|blog|comment|photo|user):[0-9]+$'),
    owner_id    bigint NOT NULL,
    report_id   bigint,
    reason      note NOT NULL,
    rule        note NOT NULL
);
CREATE INDEX decision_thing ON decision (thing, decision_id);
REVOKE UPDATE, DELETE, TRUNCATE ON decision FROM mapdiary;

-- Why an operator has hidden a thing, for its owner.
CREATE FUNCTION hidden_reason(of_thing text) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = mapdiary, pg_temp AS $$
    SELECT reason FROM decision WHERE thing = of_thing AND action = 'hide' ORDER BY decision_id DESC LIMIT 1
$$;

-- Sets how a thing is hidden, and answers whose it is; NULL where there is none. Its piece is locked first, so that none of its
-- photos is published meanwhile.
CREATE FUNCTION hide_thing(of_thing text, new_hidden hiding) RETURNS bigint LANGUAGE plpgsql SET search_path = mapdiary AS $$
DECLARE
    kind CONSTANT text := split_part(of_thing, ':', 1);
    id CONSTANT bigint := split_part(of_thing, ':', 2);
    whose bigint;
BEGIN
    CASE kind
    WHEN 'album' THEN
        UPDATE album SET hidden = new_hidden WHERE album_id = id RETURNING owner_id INTO whose;
    WHEN 'poi' THEN
        UPDATE poi SET hidden = new_hidden WHERE poi_id = id RETURNING owner_id INTO whose;
    WHEN 'blog' THEN
        UPDATE blog SET hidden = new_hidden WHERE blog_id = id RETURNING author_id INTO whose;
    WHEN 'comment' THEN
        UPDATE comment SET hidden = new_hidden WHERE comment_id = id RETURNING commenter_id INTO whose;
    ELSE
        SELECT owner_id INTO whose FROM album WHERE album_id = (SELECT album_id FROM photo WHERE photo_id = id)
            FOR NO KEY UPDATE;
        IF whose IS NULL THEN
            SELECT owner_id INTO whose FROM poi WHERE poi_id = (SELECT poi_id FROM photo WHERE photo_id = id)
                FOR NO KEY UPDATE;
        END IF;
        UPDATE photo SET hidden = new_hidden WHERE photo_id = id;
    END CASE;
    RETURN whose;
END $$;

-- What an operator has decided about a thing, or about one report of it (dismiss). Answers who is to hear of it: what happened
-- ("hide", "upheld", ..), the user, the language, and a piece by which the thing is found. The first row is the owner's, with
-- NULL where that one is told nothing, not even of what was held back. No row where there is no such thing, or nothing to take back.
CREATE FUNCTION decide(of_thing text, new_action decision_action, by_whom text, why text, by_rule text, of_report bigint)
RETURNS TABLE (occasion text, user_id bigint, language text, piece text) LANGUAGE plpgsql SET search_path = mapdiary AS $$
#variable_conflict use_column
DECLARE
    id CONSTANT bigint := split_part(of_thing, ':', 2);
    was hiding;
    whose bigint;
    place text;
    new_state CONSTANT report_state := CASE new_action WHEN 'hide' THEN 'upheld' ELSE 'dismissed' END;
BEGIN
    IF new_action IN ('block', 'unblock') THEN
        UPDATE user_account u SET blocked = new_action = 'block' WHERE u.user_id = id AND (new_action = 'block' OR u.blocked)
            RETURNING u.user_id INTO whose;
        DELETE FROM session s WHERE s.user_id = id AND new_action = 'block';
    ELSIF new_action = 'dismiss' THEN
        -- What was held back by a word is shown.
        SELECT o INTO whose FROM report r, LATERAL hide_thing(of_thing, NULL) AS o
            WHERE r.report_id = of_report AND r.reporter_id IS NULL AND r.state = 'open';
        whose := coalesce(whose, 0);
    ELSE
        IF new_action = 'unhide' THEN
            EXECUTE format('SELECT hidden FROM %1$I WHERE %2$I = $1',
                           split_part(of_thing, ':', 1), split_part(of_thing, ':', 1) || '_id') INTO was USING id;
            IF was IS NULL THEN
                RETURN;
            END IF;
        END IF;
        whose := hide_thing(of_thing, CASE new_action WHEN 'hide' THEN 'hidden'::hiding END);
    END IF;
    IF whose IS NULL THEN
        RETURN;
    END IF;
    INSERT INTO decision (decided_by, action, thing, owner_id, report_id, reason, rule)
        VALUES (by_whom, new_action, of_thing, whose, of_report, why, by_rule);
    SELECT thing_name(c.album_id, c.poi_id, c.blog_id, NULL, NULL) INTO place
        FROM comment c WHERE of_thing = 'comment:' || c.comment_id AND c.comment_id = id;
    SELECT coalesce(place, (SELECT thing_name(p.album_id, p.poi_id, NULL, NULL, NULL) FROM photo p
                            WHERE of_thing = 'photo:' || p.photo_id AND p.photo_id = id), of_thing) INTO place;
    RETURN QUERY SELECT new_action::text, u.user_id, u.language, place FROM (SELECT) one
        LEFT JOIN user_account u ON u.user_id = whose AND new_action <> 'dismiss' AND NOT u.disabled
            AND (new_action <> 'unhide' OR was = 'hidden');
    RETURN QUERY WITH decided AS (
            UPDATE report r SET state = new_state, decided_at = now()
            WHERE r.state = 'open' AND new_action NOT IN ('block', 'unblock')
            AND (r.report_id = of_report OR new_action <> 'dismiss')
            AND CASE split_part(of_thing, ':', 1) WHEN 'album' THEN r.album_id = id WHEN 'poi' THEN r.poi_id = id
                WHEN 'blog' THEN r.blog_id = id WHEN 'comment' THEN r.comment_id = id ELSE r.photo_id = id END
            RETURNING r.reporter_id)
        SELECT new_state::text, u.user_id, u.language, place FROM decided d JOIN user_account u ON u.user_id = d.reporter_id
        WHERE NOT u.disabled ORDER BY u.user_id;
END $$;

-- Rules --------------------------------------------------------------------------------------------------------------

-- What an account of less than a week has made today. Who deletes it has made it still.
CREATE TABLE first_week (
    user_id  bigint PRIMARY KEY REFERENCES user_account ON DELETE CASCADE,
    day      date NOT NULL,
    pieces   integer NOT NULL DEFAULT 0,
    comments integer NOT NULL DEFAULT 0,
    photos   integer NOT NULL DEFAULT 0
);

-- The first of the words that an operator has listed, a line each, that a text has: as search finds them, but in any text: it is
-- looked through in parts that a tsvector holds, and a run of characters as it stands, as not all of their positions are known.
CREATE FUNCTION held_word(t text) RETURNS text LANGUAGE sql STABLE SET search_path = mapdiary, pg_temp AS $$
    WITH listed AS MATERIALIZED (
        SELECT word, search_query(word, '') AS query, ARRAY(SELECT run[1] FROM regexp_matches(
                folded(word), '[\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]{3,}', 'g') AS run) AS runs
            FROM string_to_table(current_setting('mapdiary.held_words', true), E'\n') AS word),
    parts AS MATERIALIZED (
        SELECT part, words_of(part) || quote_literal('#long')::tsvector AS words
            FROM folded(t) AS said, generate_series(0, length(said) / 15000) AS n,
                 LATERAL (SELECT substr(said, 1 + n * 15000, 16000) AS part OFFSET 0) p)
    SELECT word FROM parts, listed
        WHERE words @@ query AND NOT EXISTS (SELECT FROM unnest(runs) AS run WHERE strpos(part, run) = 0) LIMIT 1
$$;

CREATE FUNCTION held_word_in(thing jsonb) RETURNS text LANGUAGE sql STABLE SET search_path = mapdiary, pg_temp AS $$
    SELECT held_word(concat_ws(' . ', thing ->> 'title', plain_text(thing ->> 'content'), thing ->> 'comment'))
$$;

-- What comes by the service, which alone has such settings. MD008 where an account of less than a week has made more than it may
-- today; then what has a word is held back. The arguments: the column of its owner, what it counts as, its table.
CREATE FUNCTION apply_rules() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
DECLARE
    there CONSTANT jsonb := to_jsonb(NEW);
    most CONSTANT integer := nullif(current_setting('mapdiary.first_week_' || TG_ARGV[1], true), '');
    who bigint := there ->> TG_ARGV[0];
    made integer;
BEGIN
    IF TG_ARGV[1] = 'photos' THEN
        who := (SELECT owner_id FROM album WHERE album_id = NEW.album_id UNION ALL
                SELECT owner_id FROM poi WHERE poi_id = NEW.poi_id);
    END IF;
    IF most > 0 AND EXISTS (SELECT FROM user_account WHERE user_id = who AND created_at > now() - interval '7 days') THEN
        INSERT INTO first_week AS f (user_id, day) VALUES (who, current_date) ON CONFLICT (user_id) DO UPDATE
            SET day = current_date, pieces = CASE f.day WHEN current_date THEN f.pieces ELSE 0 END,
                comments = CASE f.day WHEN current_date THEN f.comments ELSE 0 END,
                photos = CASE f.day WHEN current_date THEN f.photos ELSE 0 END;
        EXECUTE format('UPDATE first_week SET %1$I = %1$I + 1 WHERE user_id = $1 RETURNING %1$I', TG_ARGV[1])
            INTO made USING who;
        IF made > most THEN
            RAISE EXCEPTION USING ERRCODE = 'MD008', MESSAGE = 'an account of less than a week has made as much as it may today';
        END IF;
    END IF;
    IF TG_ARGV[1] <> 'photos' AND current_setting('mapdiary.held_words', true) <> '' AND held_word_in(there) IS NOT NULL THEN
        EXECUTE format('UPDATE %1$I SET hidden = ''held'' WHERE %2$I = $1 AND hidden IS NULL', TG_ARGV[2], TG_ARGV[2] || '_id')
            USING (there ->> (TG_ARGV[2] || '_id'))::bigint;
    END IF;
    RETURN NULL;
END $$;

-- The service sets mapdiary.rules where it has any of them. PostgreSQL reads the condition of a trigger anew in each statement: so
-- what is inserted has one, and the shortest.
CREATE TRIGGER ruled AFTER INSERT ON album FOR EACH ROW WHEN (current_setting('mapdiary.rules', true) IS NOT NULL)
    EXECUTE FUNCTION apply_rules('owner_id', 'pieces', 'album');
CREATE TRIGGER ruled AFTER INSERT ON blog FOR EACH ROW WHEN (current_setting('mapdiary.rules', true) IS NOT NULL)
    EXECUTE FUNCTION apply_rules('author_id', 'pieces', 'blog');
CREATE TRIGGER ruled AFTER INSERT ON comment FOR EACH ROW WHEN (current_setting('mapdiary.rules', true) IS NOT NULL)
    EXECUTE FUNCTION apply_rules('commenter_id', 'comments', 'comment');
CREATE TRIGGER ruled AFTER INSERT ON photo FOR EACH ROW WHEN (current_setting('mapdiary.rules', true) IS NOT NULL)
    EXECUTE FUNCTION apply_rules('', 'photos', 'photo');

-- What has changed is held back, too; and what is held back is reported.
CREATE FUNCTION hold_back() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    IF NEW.hidden IS NULL AND held_word_in(to_jsonb(NEW)) IS NOT NULL THEN
        NEW.hidden := 'held';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION report_held() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
DECLARE
    there CONSTANT jsonb := to_jsonb(NEW);
BEGIN
    EXECUTE format('INSERT INTO report (%1$I, reason) SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM report
                        WHERE %1$I = $1 AND reporter_id IS NULL AND state = ''open'')', TG_ARGV[0])
        USING (there ->> TG_ARGV[0])::bigint, left('held back for the word: ' || coalesce(held_word_in(there), '?'), 1000);
    RETURN NULL;
END $$;
CREATE TRIGGER held_changed BEFORE UPDATE ON album FOR EACH ROW
    WHEN (current_setting('mapdiary.held_words', true) <> '' AND OLD.title IS DISTINCT FROM NEW.title)
    EXECUTE FUNCTION hold_back();
CREATE TRIGGER held_told AFTER UPDATE ON album FOR EACH ROW
    WHEN (NEW.hidden = 'held' AND current_setting('mapdiary.held_words', true) <> '') EXECUTE FUNCTION report_held('album_id');
CREATE TRIGGER held_changed BEFORE UPDATE ON blog FOR EACH ROW
    WHEN (current_setting('mapdiary.held_words', true) <> ''
          AND (OLD.title, OLD.content) IS DISTINCT FROM (NEW.title, NEW.content)) EXECUTE FUNCTION hold_back();
CREATE TRIGGER held_told AFTER UPDATE ON blog FOR EACH ROW
    WHEN (NEW.hidden = 'held' AND current_setting('mapdiary.held_words', true) <> '') EXECUTE FUNCTION report_held('blog_id');
CREATE TRIGGER held_told AFTER UPDATE ON comment FOR EACH ROW
    WHEN (NEW.hidden = 'held' AND current_setting('mapdiary.held_words', true) <> '') EXECUTE FUNCTION report_held('comment_id');

CALL show_pieces();
