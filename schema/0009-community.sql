-- Readers comment, recommend and vote: who may see what, sums that follow from the rows, and how much a user may write.

-- Who may see a piece ------------------------------------------------------------------------------------------------

-- All statements ask these functions, with the user who reads, or NULL for anybody. They are inlined, so that an index
-- serves what is asked beside. The first three are for statements that lock or write; the others have the pieces themselves.
CREATE FUNCTION may_see_poi(owner bigint, viewer bigint) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT true';
-- What is for everybody is looked at first: who reads may be a subselect, which is not carried out then.
CREATE FUNCTION may_see_album(owner bigint, visibility visibility, viewer bigint) RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT visibility = ''public'' OR coalesce(owner = viewer, false)';
CREATE FUNCTION may_see_blog(author bigint, post_date date, viewer bigint) RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT post_date <= current_date OR coalesce(author = viewer, false)';

CREATE FUNCTION visible_album(viewer bigint) RETURNS SETOF album LANGUAGE sql STABLE AS
    'SELECT * FROM mapdiary.album WHERE mapdiary.may_see_album(owner_id, visibility, viewer)';
CREATE FUNCTION visible_poi(viewer bigint) RETURNS SETOF poi LANGUAGE sql STABLE AS
    'SELECT * FROM mapdiary.poi WHERE mapdiary.may_see_poi(owner_id, viewer)';
CREATE FUNCTION visible_blog(viewer bigint) RETURNS SETOF blog LANGUAGE sql STABLE AS
    'SELECT * FROM mapdiary.blog WHERE mapdiary.may_see_blog(author_id, post_date, viewer)';

-- Recommendations ----------------------------------------------------------------------------------------------------

-- The score of a piece is what an operator or an import has set, and one for each recommendation since: whatever adds or
-- takes away rows, these triggers follow. The pieces are locked in one order, that of lock_pieces_of() below.
CREATE FUNCTION score_recommendations() RETURNS trigger LANGUAGE plpgsql SET search_path = mapdiary AS $$
DECLARE
    sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
    piece record;
BEGIN
    FOR piece IN SELECT album_id, poi_id, blog_id, sign * count(*) AS more FROM changed GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 LOOP
        IF piece.album_id IS NOT NULL THEN
            UPDATE album SET score = score_beside(score, piece.more) WHERE album_id = piece.album_id;
        ELSIF piece.poi_id IS NOT NULL THEN
            UPDATE poi SET score = score_beside(score, piece.more) WHERE poi_id = piece.poi_id;
        ELSE
            UPDATE blog SET score = score_beside(score, piece.more) WHERE blog_id = piece.blog_id;
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
CREATE FUNCTION score_beside(score integer, more bigint) RETURNS integer LANGUAGE sql IMMUTABLE AS
    'SELECT least(greatest(score + more, -2147483648), 2147483647)::integer';
CREATE TRIGGER recommendation_given AFTER INSERT ON recommendation REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION score_recommendations();
CREATE TRIGGER recommendation_gone AFTER DELETE ON recommendation REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION score_recommendations();

-- MD005 where somebody recommends what is their own.
CREATE FUNCTION refuse_own_piece() RETURNS trigger LANGUAGE plpgsql SET search_path = mapdiary AS $$
BEGIN
    IF NEW.user_id IN (SELECT owner_id FROM album WHERE album_id = NEW.album_id UNION ALL
                       SELECT owner_id FROM poi WHERE poi_id = NEW.poi_id UNION ALL
                       SELECT author_id FROM blog WHERE blog_id = NEW.blog_id) THEN
        RAISE EXCEPTION USING ERRCODE = 'MD005', MESSAGE = 'the piece is the user''s own';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER not_own BEFORE INSERT ON recommendation FOR EACH ROW EXECUTE FUNCTION refuse_own_piece();

-- Votes --------------------------------------------------------------------------------------------------------------

-- vote_choice.votes has one for each ballot, beside what was counted elsewhere before. MD006 where the vote is closed.
CREATE FUNCTION count_ballots() RETURNS trigger LANGUAGE plpgsql SET search_path = mapdiary AS $$
DECLARE
    sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
    choice record;
BEGIN
    IF TG_OP = 'INSERT' AND EXISTS (SELECT FROM changed JOIN vote USING (blog_id) WHERE closed_at IS NOT NULL) THEN
        RAISE EXCEPTION USING ERRCODE = 'MD006', MESSAGE = 'the vote is closed';
    END IF;
    FOR choice IN SELECT blog_id, position, sign * count(*) AS more FROM changed GROUP BY 1, 2 ORDER BY 1, 2 LOOP
        UPDATE vote_choice SET votes = votes + choice.more WHERE blog_id = choice.blog_id AND position = choice.position;
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER voice_given AFTER INSERT ON ballot REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_ballots();
CREATE TRIGGER voice_gone AFTER DELETE ON ballot REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_ballots();

-- A voice or a recommendation is there or not, and none is changed.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is not changed', TG_TABLE_NAME;
END $$;
CREATE TRIGGER unchanged BEFORE UPDATE ON ballot FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER unchanged BEFORE UPDATE ON recommendation FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Who is asking -----------------------------------------------------------------------------------------------------

-- As before, and the account is locked against deletion before the session is: whoever deletes it locks it first, too, and
-- would else wait for the session of a write that waits for the account.
CREATE OR REPLACE FUNCTION require_session(asker bigint, token bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM mapdiary.user_account u WHERE user_id = asker AND EXISTS (SELECT FROM mapdiary.session s
        WHERE s.token_hash = token AND s.user_id = asker AND s.expires_at > now()) FOR KEY SHARE OF u;
    PERFORM FROM mapdiary.session
        WHERE token_hash = token AND user_id = asker AND expires_at > now() FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'MD001', MESSAGE = 'the session is unknown, expired or revoked';
    END IF;
END $$;

-- Users that go ------------------------------------------------------------------------------------------------------

-- Locks the pieces that change when a user goes: those that they have, or have recommended, commented or voted on, and blogs
-- that quote theirs; from then on their own are kept from others alone. Each kind is locked by its key, as all that is done to
-- pieces begins with them, so that nobody waits for each other. The user's account is locked before.
CREATE FUNCTION lock_pieces_of(who bigint) RETURNS void LANGUAGE plpgsql SET search_path = mapdiary AS $$
BEGIN
    PERFORM FROM album WHERE album_id IN (
        SELECT album_id FROM album WHERE owner_id = who UNION ALL
        SELECT album_id FROM recommendation WHERE user_id = who UNION ALL
        SELECT album_id FROM comment WHERE commenter_id = who) ORDER BY album_id FOR NO KEY UPDATE;
    PERFORM FROM poi WHERE poi_id IN (
        SELECT poi_id FROM poi WHERE owner_id = who UNION ALL
        SELECT poi_id FROM recommendation WHERE user_id = who UNION ALL
        SELECT poi_id FROM comment WHERE commenter_id = who) ORDER BY poi_id FOR NO KEY UPDATE;
    PERFORM FROM blog WHERE blog_id IN (
        SELECT blog_id FROM blog WHERE author_id = who UNION ALL
        SELECT quoting.blog_id FROM blog quoted JOIN blog quoting ON quoting.reply_blog_id = quoted.blog_id
            WHERE quoted.author_id = who UNION ALL
        SELECT blog_id FROM recommendation WHERE user_id = who UNION ALL
        SELECT blog_id FROM ballot WHERE user_id = who UNION ALL
        SELECT blog_id FROM comment WHERE commenter_id = who) ORDER BY blog_id FOR NO KEY UPDATE;
    PERFORM FROM album WHERE owner_id = who ORDER BY album_id FOR UPDATE;
    PERFORM FROM poi WHERE owner_id = who ORDER BY poi_id FOR UPDATE;
    PERFORM FROM blog WHERE author_id = who ORDER BY blog_id FOR UPDATE;
END $$;

-- For whoever has not called it: it is done before anything else goes with the user.
CREATE FUNCTION lock_leaver() RETURNS trigger LANGUAGE plpgsql SET search_path = mapdiary AS $$
BEGIN
    PERFORM lock_pieces_of(OLD.user_id);
    RETURN OLD;
END $$;
CREATE TRIGGER pieces_locked BEFORE DELETE ON user_account FOR EACH ROW EXECUTE FUNCTION lock_leaver();

-- How much a user may write ------------------------------------------------------------------------------------------

-- The writes of a user since a moment. The row is written by a transaction of its own before the write, so that no write
-- waits for another one.
CREATE TABLE write_rate (
    user_id  bigint PRIMARY KEY REFERENCES user_account ON DELETE CASCADE,
    began_at timestamptz NOT NULL,
    writes   integer NOT NULL
) WITH (fillfactor = 50);

-- A moment may be a little before it began: whoever waited for the row had looked at the clock first.
CREATE FUNCTION is_within_minute(began_at timestamptz, moment timestamptz) RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT moment > began_at - interval ''1 minute'' AND moment < began_at + interval ''1 minute''';

-- Counts a write of somebody who has that session, unless the user has written so often within a minute: then it writes
-- nothing, and answers the milliseconds until that is over. A crash may forget some counts: no commit waits for the disk.
-- Nearly always there is a row, which goes with the account: so that is not looked at. The session is asked for the row's user:
-- that is dear for all rows, so PostgreSQL takes the one by its key, however few there are.
CREATE FUNCTION count_write(who bigint, token bytea, most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    moment timestamptz := clock_timestamp();
    wait bigint;
    unsynced CONSTANT text := set_config('synchronous_commit', 'off', true);
BEGIN
    UPDATE mapdiary.write_rate
        SET began_at = CASE WHEN mapdiary.is_within_minute(began_at, moment) THEN began_at ELSE moment END,
            writes = CASE WHEN mapdiary.is_within_minute(began_at, moment) THEN writes ELSE 0 END + 1
        WHERE user_id = who AND (writes < most OR NOT mapdiary.is_within_minute(began_at, moment))
        AND (SELECT true FROM mapdiary.session s
             WHERE s.user_id = write_rate.user_id AND token_hash = token AND expires_at > now());
    IF FOUND THEN
        RETURN 0;
    ELSIF NOT EXISTS (SELECT FROM mapdiary.session WHERE user_id = who AND token_hash = token AND expires_at > now()) THEN
        RETURN 0;
    END IF;
    moment := clock_timestamp();
    SELECT ceil(extract(epoch FROM began_at + interval '1 minute' - moment) * 1000) INTO wait
        FROM mapdiary.write_rate WHERE user_id = who AND writes >= most AND mapdiary.is_within_minute(began_at, moment);
    IF wait > 0 THEN
        RETURN wait;
    END IF;
    INSERT INTO mapdiary.write_rate AS r (user_id, began_at, writes)
        SELECT user_id, moment, 1 FROM mapdiary.user_account WHERE user_id = who FOR KEY SHARE
        ON CONFLICT (user_id) DO UPDATE
        SET began_at = CASE WHEN mapdiary.is_within_minute(r.began_at, excluded.began_at) THEN r.began_at
                            ELSE excluded.began_at END,
            writes = CASE WHEN mapdiary.is_within_minute(r.began_at, excluded.began_at) THEN r.writes ELSE 0 END + 1
        WHERE r.writes < most OR NOT mapdiary.is_within_minute(r.began_at, excluded.began_at);
    -- Whoever has gone meanwhile hears that from the write itself.
    RETURN CASE WHEN FOUND OR NOT EXISTS (SELECT FROM mapdiary.user_account WHERE user_id = who) THEN 0 ELSE 1000 END;
END $$;
