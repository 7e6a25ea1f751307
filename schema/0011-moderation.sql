-- Reports of readers, decisions of operators, and rules for new accounts.

-- Reports ------------------------------------------------------------------------------------------------------------

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
CREATE INDEX report_reporter_open ON report (reporter_id) WHERE state = 'open' AND reporter_id IS NOT NULL;
CREATE INDEX report_open ON report (report_id) WHERE state = 'open';
COMMENT ON TABLE report IS 'Reports of pieces, comments and photos. A user reports a thing once.';
COMMENT ON COLUMN report.reporter_id IS 'NULL if a listed word has held the thing back.';

CREATE FUNCTION thing_name(album_id bigint, poi_id bigint, blog_id bigint, comment_id bigint, photo_id bigint)
RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce('album:' || album_id, 'poi:' || poi_id, 'blog:' || blog_id, 'comment:' || comment_id, 'photo:' || photo_id)
$$;
COMMENT ON FUNCTION thing_name IS 'The name of a thing, such as "album:7", by the one identifier that is not NULL.';

CREATE FUNCTION tell_report() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('mapdiary_report', NEW.report_id::text);
    RETURN NULL;
END $$;
CREATE TRIGGER report_told AFTER INSERT ON report FOR EACH ROW EXECUTE FUNCTION tell_report();

-- The owner of a thing; no row if the viewer may not see it.
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

-- Reports of a user wait for each other, so all are counted. A report that is there already adds none.
CREATE FUNCTION add_report(reporter bigint, of_album bigint, of_poi bigint, of_blog bigint, of_comment bigint,
                                      of_photo bigint, why text)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
DECLARE
    owner CONSTANT bigint := thing_owner(reporter, of_album, of_poi, of_blog, of_comment, of_photo);
BEGIN
    IF owner = reporter THEN
        RAISE EXCEPTION USING ERRCODE = 'MD005', MESSAGE = 'the thing is the user''s own';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('report of ' || reporter, 0));
    INSERT INTO report (reporter_id, album_id, poi_id, blog_id, comment_id, photo_id, reason)
        SELECT reporter, of_album, of_poi, of_blog, of_comment, of_photo, why WHERE owner IS NOT NULL ON CONFLICT DO NOTHING;
    IF FOUND AND (SELECT count(*) FROM report WHERE reporter_id = reporter AND state = 'open') > 20 THEN
        RAISE EXCEPTION USING ERRCODE = 'MD008', MESSAGE = 'nobody has decided 20 reports of the user';
    END IF;
    RETURN nullif(owner IS NOT NULL, false);
EXCEPTION
    WHEN foreign_key_violation THEN -- the thing was deleted at the same moment
        RETURN NULL;
END $$;
COMMENT ON FUNCTION add_report IS
    'Notes a report; NULL if the reporter sees no such thing, MD005 if it is the reporter''s own, MD008 beyond 20 open reports.';

-- Decisions ----------------------------------------------------------------------------------------------------------

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
COMMENT ON TABLE decision IS 'Decisions of operators, kept for good. The service can only add rows.';
COMMENT ON COLUMN decision.decided_by IS 'The operator.';
COMMENT ON COLUMN decision.thing IS 'As thing_name() writes it, or "user:7".';
COMMENT ON COLUMN decision.rule IS 'The rule or the law that the decision follows.';

CREATE FUNCTION hidden_reason(of_thing text) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = mapdiary, pg_temp AS $$
    SELECT reason FROM decision WHERE thing = of_thing AND action = 'hide' ORDER BY decision_id DESC LIMIT 1
$$;
COMMENT ON FUNCTION hidden_reason IS 'Why an operator has hidden a thing, for its owner.';

-- Hides a thing, and answers its owner; NULL if there is no such thing. The piece of a photo is locked first, so that nobody
-- publishes the photo meanwhile.
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

-- The first row is for the owner. Its user is NULL if the owner is told nothing: of a report that is dismissed, or of a thing
-- that was only held back. There is no row if there is no such thing, or nothing to take back.
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
        -- A thing that a word has held back is shown.
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
COMMENT ON FUNCTION decide IS
    'Carries out a decision. Answers which users are to be told: the occasion, the language, and the piece that has the thing.';

-- Rules --------------------------------------------------------------------------------------------------------------

CREATE TABLE first_week (
    user_id  bigint PRIMARY KEY REFERENCES user_account ON DELETE CASCADE,
    day      date NOT NULL,
    pieces   integer NOT NULL DEFAULT 0,
    comments integer NOT NULL DEFAULT 0,
    photos   integer NOT NULL DEFAULT 0
);
COMMENT ON TABLE first_week IS 'Pieces, comments and photos that an account of less than a week has made in a day, with those that are deleted.';

CREATE FUNCTION may_add_photo(who bigint) RETURNS boolean LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
    SELECT NOT EXISTS (SELECT FROM first_week f JOIN user_account u USING (user_id)
        WHERE u.user_id = who AND u.created_at > now() - interval '7 days' AND f.day = current_date
        AND f.photos >= nullif(nullif(current_setting('mapdiary.first_week_photos', true), ''), '0')::integer)
$$;
COMMENT ON FUNCTION may_add_photo IS
    'False if an account of less than a week has added as many photos as it may today, which apply_rules() will refuse.';

-- Of rows that the service inserts, which alone has these settings. Refuses with MD008 if an account of less than a week has
-- made as much as it may today. Then a thing with a listed word is held back. The arguments are the column of the owner, what
-- the row counts as, and the table.
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

-- PostgreSQL reads the condition of a trigger anew in each statement, so these have one short condition. The service sets
-- mapdiary.rules if it has any rules.
CREATE TRIGGER ruled AFTER INSERT ON album FOR EACH ROW WHEN (current_setting('mapdiary.rules', true) IS NOT NULL)
    EXECUTE FUNCTION apply_rules('owner_id', 'pieces', 'album');
CREATE TRIGGER ruled AFTER INSERT ON blog FOR EACH ROW WHEN (current_setting('mapdiary.rules', true) IS NOT NULL)
    EXECUTE FUNCTION apply_rules('author_id', 'pieces', 'blog');
CREATE TRIGGER ruled AFTER INSERT ON comment FOR EACH ROW WHEN (current_setting('mapdiary.rules', true) IS NOT NULL)
    EXECUTE FUNCTION apply_rules('commenter_id', 'comments', 'comment');
CREATE TRIGGER ruled AFTER INSERT ON photo FOR EACH ROW WHEN (current_setting('mapdiary.rules', true) IS NOT NULL)
    EXECUTE FUNCTION apply_rules('', 'photos', 'photo');

-- A thing that has changed is held back, too, and a report tells of all things that are held back.
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
          AND (OLD.title, OLD.content, OLD.user_category) IS DISTINCT FROM (NEW.title, NEW.content, NEW.user_category))
    EXECUTE FUNCTION hold_back();
CREATE TRIGGER held_told AFTER UPDATE ON blog FOR EACH ROW
    WHEN (NEW.hidden = 'held' AND current_setting('mapdiary.held_words', true) <> '') EXECUTE FUNCTION report_held('blog_id');
CREATE TRIGGER held_told AFTER UPDATE ON comment FOR EACH ROW
    WHEN (NEW.hidden = 'held' AND current_setting('mapdiary.held_words', true) <> '') EXECUTE FUNCTION report_held('comment_id');
