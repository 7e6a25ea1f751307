-- Reports of readers, decisions of operators, and rules for new accounts.

-- Reports ------------------------------------------------------------------------------------------------------------

CREATE TYPE report_state AS ENUM ('open', 'upheld', 'dismissed');
CREATE TABLE report (
    report_id   bigint GENERATED ALWAYS AS IDENTITY (MAXVALUE 9007199254740991) PRIMARY KEY,
    reporter_id bigint REFERENCES user_account ON DELETE CASCADE,
    kind        smallint,
    number      bigint,
    comment_id  bigint REFERENCES comment ON DELETE CASCADE,
    photo_id    bigint REFERENCES photo ON DELETE CASCADE,
    reason      xml_text NOT NULL CHECK (char_length(reason) BETWEEN 1 AND 1000),
    reported_at timestamptz NOT NULL DEFAULT now(),
    state       report_state NOT NULL DEFAULT 'open',
    decided_at  timestamptz,
    FOREIGN KEY (kind, number) REFERENCES piece ON DELETE CASCADE,
    CHECK (num_nonnulls(number, comment_id, photo_id) = 1 AND (kind IS NULL) = (number IS NULL)),
    CHECK ((state = 'open') = (decided_at IS NULL))
);
CREATE UNIQUE INDEX report_piece ON report (kind, number, reporter_id) WHERE number IS NOT NULL;
CREATE UNIQUE INDEX report_comment ON report (comment_id, reporter_id) WHERE comment_id IS NOT NULL;
CREATE UNIQUE INDEX report_photo ON report (photo_id, reporter_id) WHERE photo_id IS NOT NULL;
CREATE INDEX report_reporter ON report (reporter_id) WHERE reporter_id IS NOT NULL;
CREATE INDEX report_reporter_open ON report (reporter_id) WHERE state = 'open' AND reporter_id IS NOT NULL;
CREATE INDEX report_open ON report (report_id) WHERE state = 'open';
COMMENT ON TABLE report IS 'Reports of pieces, comments and photos. A user reports a thing once.';
COMMENT ON COLUMN report.number IS 'Of a piece, as is the kind.';
COMMENT ON COLUMN report.reporter_id IS 'NULL if a listed word has held the thing back.';

CREATE FUNCTION kind_name(kind integer) RETURNS text LANGUAGE sql IMMUTABLE AS
    'SELECT (ARRAY[''album'', ''poi'', ''blog''])[kind + 1]';
CREATE FUNCTION kind_number(name text) RETURNS integer LANGUAGE sql IMMUTABLE AS
    'SELECT array_position(ARRAY[''album'', ''poi'', ''blog''], name) - 1';
CREATE FUNCTION thing_name(kind smallint, number bigint, comment_id bigint, photo_id bigint)
RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(mapdiary.kind_name(kind) || ':' || number, 'comment:' || comment_id, 'photo:' || photo_id)
$$;
COMMENT ON FUNCTION thing_name IS 'The name of a piece, a comment or a photo, such as "album:7", by the identifier that is not NULL.';

CREATE FUNCTION tell_report() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('mapdiary_report', NEW.report_id::text);
    RETURN NULL;
END $$;
CREATE TRIGGER report_told AFTER INSERT ON report FOR EACH ROW EXECUTE FUNCTION tell_report();

-- The owner of a thing; no row if the viewer may not see it.
CREATE FUNCTION thing_owner(viewer bigint, of_kind integer, of_number bigint, of_comment bigint, of_photo bigint)
RETURNS SETOF bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
    SELECT owner_id FROM visible_piece(viewer) WHERE kind = of_kind AND number = of_number
    UNION ALL SELECT c.commenter_id FROM comment c JOIN visible_piece(viewer) p USING (kind, number)
        WHERE c.comment_id = of_comment AND may_list_comment(c.commenter_id, c.hidden, viewer)
    UNION ALL SELECT p.owner_id FROM photo f JOIN visible_piece(viewer) p USING (kind, number)
        WHERE f.photo_id = of_photo AND may_see_photo(p.owner_id, f.hidden, viewer)
$$;

-- Reports of a user wait for each other, so all are counted. A report that is there already adds none.
CREATE FUNCTION add_report(reporter bigint, of_kind integer, of_number bigint, of_comment bigint, of_photo bigint, why text)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
DECLARE
    owner CONSTANT bigint := thing_owner(reporter, of_kind, of_number, of_comment, of_photo);
BEGIN
    IF owner = reporter THEN
        RAISE EXCEPTION USING ERRCODE = 'MD005', MESSAGE = 'the thing is the user''s own';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('report of ' || reporter, 0));
    INSERT INTO report (reporter_id, kind, number, comment_id, photo_id, reason)
        SELECT reporter, of_kind, of_number, of_comment, of_photo, why WHERE owner IS NOT NULL ON CONFLICT DO NOTHING;
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
    class CONSTANT text := split_part(of_thing, ':', 1);
    id CONSTANT bigint := split_part(of_thing, ':', 2);
    whose bigint;
BEGIN
    IF class = 'comment' THEN
        UPDATE comment SET hidden = new_hidden WHERE comment_id = id RETURNING commenter_id INTO whose;
    ELSIF class = 'photo' THEN
        SELECT owner_id INTO whose FROM piece WHERE (kind, number) = (SELECT kind, number FROM photo WHERE photo_id = id)
            FOR NO KEY UPDATE;
        UPDATE photo SET hidden = new_hidden WHERE photo_id = id;
    ELSE
        UPDATE piece SET hidden = new_hidden WHERE kind = kind_number(class) AND number = id RETURNING owner_id INTO whose;
    END IF;
    RETURN whose;
END $$;

-- The first row is for the owner. Its user is NULL if the owner is told nothing: of a report that is dismissed, or of a thing
-- that was only held back. There is no row if there is no such thing, or nothing to take back.
CREATE FUNCTION decide(of_thing text, new_action decision_action, by_whom text, why text, by_rule text, of_report bigint)
RETURNS TABLE (occasion text, user_id bigint, language text, piece text) LANGUAGE plpgsql SET search_path = mapdiary AS $$
#variable_conflict use_column
DECLARE
    of_kind CONSTANT integer := kind_number(split_part(of_thing, ':', 1));
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
            SELECT hidden INTO was FROM piece WHERE kind = of_kind AND number = id
                UNION ALL SELECT hidden FROM comment c WHERE of_thing = 'comment:' || id AND c.comment_id = id
                UNION ALL SELECT hidden FROM photo f WHERE of_thing = 'photo:' || id AND f.photo_id = id;
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
    place := coalesce(
        (SELECT thing_name(kind, number, NULL, NULL) FROM comment c WHERE of_thing = 'comment:' || id AND c.comment_id = id),
        (SELECT thing_name(kind, number, NULL, NULL) FROM photo f WHERE of_thing = 'photo:' || id AND f.photo_id = id), of_thing);
    RETURN QUERY SELECT new_action::text, u.user_id, u.language, place FROM (SELECT) one
        LEFT JOIN user_account u ON u.user_id = whose AND new_action <> 'dismiss' AND NOT u.disabled
            AND (new_action <> 'unhide' OR was = 'hidden');
    RETURN QUERY WITH decided AS (
            UPDATE report r SET state = new_state, decided_at = now()
            WHERE r.state = 'open' AND new_action NOT IN ('block', 'unblock')
            AND (r.report_id = of_report OR new_action <> 'dismiss')
            AND CASE split_part(of_thing, ':', 1) WHEN 'comment' THEN r.comment_id = id WHEN 'photo' THEN r.photo_id = id
                ELSE r.kind = of_kind AND r.number = id END
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
-- made as much as it may today. Then a thing with a listed word is held back. The arguments are the column of the owner, and
-- what the row counts as.
CREATE FUNCTION apply_rules() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
DECLARE
    there CONSTANT jsonb := to_jsonb(NEW);
    most CONSTANT integer := nullif(current_setting('mapdiary.first_week_' || TG_ARGV[1], true), '');
    who bigint := there ->> TG_ARGV[0];
    made integer;
BEGIN
    IF TG_ARGV[1] = 'photos' THEN
        who := (SELECT owner_id FROM piece WHERE kind = NEW.kind AND number = NEW.number);
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
    IF TG_ARGV[1] <> 'photos' AND current_setting('mapdiary.held_word', true) <> '' THEN
        IF TG_ARGV[1] = 'comments' THEN
            UPDATE comment SET hidden = 'held' WHERE comment_id = NEW.comment_id AND hidden IS NULL;
        ELSE
            UPDATE piece SET hidden = 'held' WHERE kind = NEW.kind AND number = NEW.number AND hidden IS NULL;
        END IF;
    END IF;
    RETURN NULL;
END $$;

-- PostgreSQL reads the condition of a trigger anew in each statement, so these have one short condition. The service sets
-- mapdiary.rules if it has any rules.
CREATE TRIGGER ruled AFTER INSERT ON piece FOR EACH ROW WHEN (current_setting('mapdiary.rules', true) IS NOT NULL)
    EXECUTE FUNCTION apply_rules('owner_id', 'pieces');
CREATE TRIGGER ruled AFTER INSERT ON comment FOR EACH ROW WHEN (current_setting('mapdiary.rules', true) IS NOT NULL)
    EXECUTE FUNCTION apply_rules('commenter_id', 'comments');
CREATE TRIGGER ruled AFTER INSERT ON photo FOR EACH ROW WHEN (current_setting('mapdiary.rules', true) IS NOT NULL)
    EXECUTE FUNCTION apply_rules('', 'photos');

-- A thing that has changed is held back, too, and a report tells of all things that are held back. The service sets
-- mapdiary.held_word in a transaction whose text has a word of the operator's list.
CREATE FUNCTION hold_back() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    NEW.hidden := coalesce(NEW.hidden, 'held');
    RETURN NEW;
END $$;
CREATE FUNCTION report_held() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
DECLARE
    there CONSTANT jsonb := to_jsonb(NEW);
    of_comment CONSTANT bigint := there ->> 'comment_id';
    of_kind CONSTANT smallint := CASE WHEN of_comment IS NULL THEN (there ->> 'kind')::smallint END;
    of_number CONSTANT bigint := CASE WHEN of_comment IS NULL THEN (there ->> 'number')::bigint END;
BEGIN
    INSERT INTO report (kind, number, comment_id, reason)
        SELECT of_kind, of_number, of_comment, left('held back for the word: ' || current_setting('mapdiary.held_word'), 1000)
        WHERE NOT EXISTS (SELECT FROM report WHERE kind = of_kind AND number = of_number AND reporter_id IS NULL AND state = 'open')
        AND NOT EXISTS (SELECT FROM report WHERE comment_id = of_comment AND reporter_id IS NULL AND state = 'open');
    RETURN NULL;
END $$;
CREATE TRIGGER held_changed BEFORE UPDATE ON piece FOR EACH ROW
    WHEN (current_setting('mapdiary.held_word', true) <> ''
          AND (OLD.title, OLD.content, OLD.user_category) IS DISTINCT FROM (NEW.title, NEW.content, NEW.user_category))
    EXECUTE FUNCTION hold_back();
CREATE TRIGGER held_told AFTER UPDATE ON piece FOR EACH ROW
    WHEN (NEW.hidden = 'held' AND current_setting('mapdiary.held_word', true) <> '') EXECUTE FUNCTION report_held();
CREATE TRIGGER held_told AFTER UPDATE ON comment FOR EACH ROW
    WHEN (NEW.hidden = 'held' AND current_setting('mapdiary.held_word', true) <> '') EXECUTE FUNCTION report_held();
