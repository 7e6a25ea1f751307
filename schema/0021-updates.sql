-- Triggers of updates. PostgreSQL reads the condition of a trigger anew in each statement, and a long condition costs more than a
-- call. So the long conditions stand in the functions.

CREATE OR REPLACE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.slot, OLD.lat::text, OLD.lng::text, OLD.title, OLD.content, OLD.post_date, OLD.weather, OLD.reply_number,
        OLD.zoom_level, OLD.map_type, OLD.user_category, OLD.visibility) IS DISTINCT FROM
       (NEW.slot, NEW.lat::text, NEW.lng::text, NEW.title, NEW.content, NEW.post_date, NEW.weather, NEW.reply_number,
        NEW.zoom_level, NEW.map_type, NEW.user_category, NEW.visibility) THEN
        NEW.updated_at := now();
    END IF;
    RETURN NEW;
END $$;
DROP TRIGGER change_noted ON blog;
CREATE TRIGGER change_noted BEFORE UPDATE ON blog FOR EACH ROW EXECUTE FUNCTION note_change();

CREATE OR REPLACE FUNCTION hold_back() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    IF (OLD.title, OLD.content, OLD.user_category) IS DISTINCT FROM (NEW.title, NEW.content, NEW.user_category) THEN
        NEW.hidden := coalesce(NEW.hidden, 'held');
    END IF;
    RETURN NEW;
END $$;
DROP TRIGGER held_changed ON piece;
CREATE TRIGGER held_changed BEFORE UPDATE ON piece FOR EACH ROW WHEN (current_setting('mapdiary.held_word', true) <> '')
    EXECUTE FUNCTION hold_back();

CREATE OR REPLACE FUNCTION report_held() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
DECLARE
    there CONSTANT jsonb := to_jsonb(NEW);
    of_comment CONSTANT bigint := there ->> 'comment_id';
    of_kind CONSTANT smallint := CASE WHEN of_comment IS NULL THEN (there ->> 'kind')::smallint END;
    of_number CONSTANT bigint := CASE WHEN of_comment IS NULL THEN (there ->> 'number')::bigint END;
BEGIN
    INSERT INTO report (kind, number, comment_id, reason)
        SELECT of_kind, of_number, of_comment, left('held back for the word: ' || current_setting('mapdiary.held_word'), 1000)
        WHERE NEW.hidden = 'held'
        AND NOT EXISTS (SELECT FROM report WHERE kind = of_kind AND number = of_number AND reporter_id IS NULL AND state = 'open')
        AND NOT EXISTS (SELECT FROM report WHERE comment_id = of_comment AND reporter_id IS NULL AND state = 'open');
    RETURN NULL;
END $$;
DROP TRIGGER held_told ON piece;
CREATE TRIGGER held_told AFTER UPDATE ON piece FOR EACH ROW WHEN (current_setting('mapdiary.held_word', true) <> '')
    EXECUTE FUNCTION report_held();

CREATE FUNCTION follow_piece() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
DECLARE
    was_shown boolean;
    is_shown boolean;
BEGIN
    IF ROW(OLD.title, OLD.content) IS DISTINCT FROM ROW(NEW.title, NEW.content) THEN
        INSERT INTO search_queue (kind, ids, entry_ids) VALUES (NEW.kind, ARRAY[NEW.number], ARRAY[nextval('search_number')]);
    END IF;
    IF ROW(OLD.slot, OLD.lat, OLD.lng, OLD.public_day, OLD.visibility, OLD.hidden, OLD.owner_id, OLD.score) IS NOT DISTINCT FROM
       ROW(NEW.slot, NEW.lat, NEW.lng, NEW.public_day, NEW.visibility, NEW.hidden, NEW.owner_id, NEW.score) THEN
        RETURN NULL;
    END IF;
    was_shown := is_public(OLD.visibility, OLD.hidden);
    is_shown := is_public(NEW.visibility, NEW.hidden) AND NEW.public_day <= current_date;
    IF OLD.public_day > '-infinity' THEN
        DELETE FROM map_future WHERE kind = OLD.kind AND id = OLD.number;
        was_shown := was_shown AND NOT FOUND;
    END IF;
    IF NOT is_shown AND is_public(NEW.visibility, NEW.hidden) THEN
        INSERT INTO map_future (kind, id, owner_id, score, slot, x, y, day)
            VALUES (NEW.kind, NEW.number, NEW.owner_id, NEW.score, NEW.slot, cell_x(NEW.lng::float8, 13),
                    cell_y(NEW.lat::float8, 13), NEW.public_day);
    END IF;
    IF ROW(was_shown, OLD.slot, OLD.lat, OLD.lng) IS DISTINCT FROM ROW(is_shown, NEW.slot, NEW.lat, NEW.lng) THEN
        INSERT INTO map_change (slot, x, y, more)
            SELECT slot, cell_x(lng::float8, 13), cell_y(lat::float8, 13), sum(more)
            FROM (VALUES (was_shown, OLD.slot, OLD.lat, OLD.lng, -1), (is_shown, NEW.slot, NEW.lat, NEW.lng, 1))
                AS piece (is_shown, slot, lat, lng, more)
            WHERE piece.is_shown GROUP BY 1, 2, 3 HAVING sum(more) <> 0;
    END IF;
    IF ROW(was_shown, OLD.owner_id) IS DISTINCT FROM ROW(is_shown, NEW.owner_id) THEN
        INSERT INTO owner_change (owner_id, kind, is_shown, pieces, score) VALUES
            (OLD.owner_id, OLD.kind, was_shown, -1, -OLD.score::bigint), (NEW.owner_id, NEW.kind, is_shown, 1, NEW.score);
    ELSIF OLD.score <> NEW.score THEN
        INSERT INTO owner_change (owner_id, kind, is_shown, pieces, score)
            VALUES (NEW.owner_id, NEW.kind, is_shown, 0, NEW.score::bigint - OLD.score);
    END IF;
    RETURN NULL;
END $$;
DROP TRIGGER moved ON piece;
DROP TRIGGER reworded ON piece;
DROP FUNCTION move_piece, reword_piece;
CREATE TRIGGER followed AFTER UPDATE ON piece FOR EACH ROW EXECUTE FUNCTION follow_piece();
