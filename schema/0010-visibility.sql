-- Blogs, too, may be their author's alone, and what an operator hides is its owner's; and requests are served as a role that
-- cannot read the tables of pieces, but what somebody may see of them.

-- The roles ----------------------------------------------------------------------------------------------------------

-- The service connects as "mapdiary", as does mapdiaryctl, and serves requests as this one. A role takes the superuser.
DO $$ BEGIN
    IF to_regrole('mapdiary_visitor') IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'undefined_object', MESSAGE = 'there is no role mapdiary_visitor: '
            'mapdiaryctl setup makes it, or the superuser: CREATE ROLE mapdiary_visitor; GRANT mapdiary_visitor TO mapdiary';
    END IF;
END $$;

-- What a connection does before it serves requests.
CREATE FUNCTION become_visitor() RETURNS text LANGUAGE sql AS $$ SELECT set_config('role', 'mapdiary_visitor', false) $$;

-- Who may see a piece ------------------------------------------------------------------------------------------------

ALTER TABLE blog ADD visibility visibility NOT NULL DEFAULT 'public';

-- What waits for an operator's look, or what an operator has decided to hide.
CREATE TYPE hiding AS ENUM ('held', 'hidden');
ALTER TABLE album ADD hidden hiding;
ALTER TABLE poi ADD hidden hiding;
ALTER TABLE blog ADD hidden hiding;
ALTER TABLE photo ADD hidden hiding;
ALTER TABLE comment ADD hidden hiding;

-- A list for whoever it is does not pass by what is private: how many those are would be seen by the time that it takes.
CREATE INDEX album_public ON album (owner_id, album_id) WHERE visibility = 'public' AND hidden IS NULL;
-- What is its owner's alone to see.
CREATE INDEX poi_hidden ON poi (owner_id) WHERE hidden IS NOT NULL;

-- All that there is of the pieces, for the functions below alone: nobody but the owner can name what is in this schema.
CREATE SCHEMA mapdiary_closed;

DROP FUNCTION visible_album(bigint);
DROP FUNCTION visible_poi(bigint);
DROP FUNCTION visible_blog(bigint);
DROP FUNCTION may_see_album(bigint, visibility, bigint);
DROP FUNCTION may_see_poi(bigint, bigint);
DROP FUNCTION may_see_blog(bigint, date, bigint);

-- What is for everybody is looked at first: who reads may be a subselect, which is not carried out then.
CREATE FUNCTION may_see_album(owner bigint, visibility visibility, hidden hiding, viewer bigint)
RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT (visibility = ''public'' AND hidden IS NULL) OR coalesce(owner = viewer, false)';
CREATE FUNCTION may_see_poi(owner bigint, hidden hiding, viewer bigint) RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT hidden IS NULL OR coalesce(owner = viewer, false)';
CREATE FUNCTION may_see_blog(author bigint, visibility visibility, post_date date, hidden hiding, viewer bigint)
RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT (visibility = ''public'' AND post_date <= current_date AND hidden IS NULL) OR coalesce(author = viewer, false)';

-- Of a piece that the viewer may see: a photo is its owner's, a comment who wrote it. One that an operator has hidden is in no
-- answer but its writer's own list of comments.
CREATE FUNCTION may_see_photo(owner bigint, hidden hiding, viewer bigint) RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT hidden IS NULL OR coalesce(owner = viewer, false)';
CREATE FUNCTION may_see_comment(writer bigint, hidden hiding, viewer bigint) RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT hidden IS NULL OR (hidden = ''held'' AND coalesce(writer = viewer, false))';
CREATE FUNCTION may_list_comment(writer bigint, hidden hiding, viewer bigint) RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT hidden IS NULL OR coalesce(writer = viewer, false)';

-- Defines what requests can do with pieces, and gives them the right to it. visible_album(), visible_poi() and visible_blog()
-- have the pieces that a user may see, or NULL, who is anybody. They are inlined, so that an index serves what is asked
-- beside. What they are made from has been looked up here: whoever may call them need not be able to name it. By own_album and
-- own_blog pieces are written, which tell no more of them than whose they are.
--
-- Functions that run as the owner believe who is said to be asking: they are for these roles, unless a migration has said
-- otherwise, and for nobody else.
--
-- To be called again when a piece has got a column, or a partition, and behind such functions.
CREATE PROCEDURE show_pieces() LANGUAGE plpgsql SET search_path = mapdiary SET client_min_messages = warning AS $$
DECLARE
    closed regclass;
    part regclass;
    believing regprocedure;
BEGIN
    CREATE OR REPLACE VIEW mapdiary_closed.album AS SELECT * FROM album;
    CREATE OR REPLACE VIEW mapdiary_closed.poi AS SELECT * FROM poi;
    CREATE OR REPLACE VIEW mapdiary_closed.blog AS SELECT * FROM blog;
    CREATE OR REPLACE FUNCTION visible_album(viewer bigint) RETURNS SETOF mapdiary_closed.album LANGUAGE sql STABLE
    BEGIN ATOMIC
        SELECT * FROM mapdiary_closed.album WHERE may_see_album(owner_id, visibility, hidden, viewer);
    END;
    CREATE OR REPLACE FUNCTION visible_poi(viewer bigint) RETURNS SETOF mapdiary_closed.poi LANGUAGE sql STABLE
    BEGIN ATOMIC
        SELECT * FROM mapdiary_closed.poi WHERE may_see_poi(owner_id, hidden, viewer);
    END;
    CREATE OR REPLACE FUNCTION visible_blog(viewer bigint) RETURNS SETOF mapdiary_closed.blog LANGUAGE sql STABLE
    BEGIN ATOMIC
        SELECT * FROM mapdiary_closed.blog WHERE may_see_blog(author_id, visibility, post_date, hidden, viewer);
    END;
    CREATE OR REPLACE VIEW own_album AS
        SELECT album_id, owner_id, title, category, lat, lng, visibility, cover_photo_id, updated_at FROM album;
    CREATE OR REPLACE VIEW own_blog AS
        SELECT blog_id, author_id, type, lat, lng, title, content, post_date, weather, reply_blog_id, zoom_level, map_type,
               user_category, visibility FROM blog;

    ALTER DEFAULT PRIVILEGES IN SCHEMA mapdiary GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO mapdiary_visitor;
    ALTER DEFAULT PRIVILEGES IN SCHEMA mapdiary GRANT USAGE ON SEQUENCES TO mapdiary_visitor;
    GRANT USAGE ON SCHEMA mapdiary TO mapdiary_visitor;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA mapdiary TO mapdiary_visitor;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA mapdiary TO mapdiary_visitor;
    GRANT SELECT ON mapdiary_closed.album, mapdiary_closed.poi, mapdiary_closed.blog TO mapdiary, mapdiary_visitor;
    IF to_regclass('mapdiary_closed.arrival') IS NOT NULL THEN -- in which imports note what they add
        GRANT USAGE ON SCHEMA mapdiary_closed TO mapdiary;
        GRANT INSERT ON mapdiary_closed.arrival TO mapdiary;
        GRANT USAGE ON SEQUENCE mapdiary_closed.search_number TO mapdiary;
    END IF;
    REVOKE INSERT, UPDATE, DELETE ON migration, service FROM mapdiary_visitor;
    -- Some of these come later.
    FOR closed IN SELECT relid FROM unnest('{album, poi, blog}'::regclass[]) AS piece, pg_partition_tree(piece)
                  UNION SELECT unnest('{album, poi, blog, own_album, own_blog}'::regclass[])
                  UNION SELECT to_regclass(name) FROM unnest('{report, decision, first_week, advertisement, advertisement_day}'::text[]) AS name
                      WHERE to_regclass(name) IS NOT NULL LOOP
        EXECUTE format('REVOKE ALL ON %s FROM mapdiary_visitor', closed);
    END LOOP;
    FOR part IN SELECT relid FROM pg_partition_tree('comment') UNION SELECT 'comment'::regclass LOOP
        EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON %s FROM mapdiary_visitor', part);
    END LOOP;
    GRANT INSERT (album_id, poi_id, blog_id, commenter_id, comment) ON comment TO mapdiary_visitor;
    REVOKE INSERT, UPDATE ON photo FROM mapdiary_visitor;
    GRANT INSERT (album_id, poi_id, position, description, name, original_sha256, original_bytes, large_sha256, small_sha256,
                  format, width, height, taken_at), UPDATE (position, description) ON photo TO mapdiary_visitor;
    REVOKE UPDATE, DELETE ON ballot, vote_choice FROM mapdiary_visitor;
    REVOKE UPDATE ON recommendation FROM mapdiary_visitor;
    GRANT SELECT (album_id, owner_id, visibility), INSERT, UPDATE, DELETE ON own_album TO mapdiary_visitor;
    GRANT SELECT (blog_id, author_id, visibility), INSERT, UPDATE, DELETE ON own_blog TO mapdiary_visitor;
    FOR believing IN SELECT oid FROM pg_proc
                     WHERE pronamespace IN ('mapdiary'::regnamespace, 'mapdiary_closed'::regnamespace) AND prosecdef LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', believing);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO mapdiary, mapdiary_visitor', believing);
    END LOOP;
END $$;
CALL show_pieces();

-- Pieces that are held -----------------------------------------------------------------------------------------------

-- These lock a piece for a user until the transaction ends, and answer whose it is; NULL where that user may not see it.
-- Whoever holds it alone may change it, and what hangs by it.
CREATE FUNCTION hold_album(id bigint, viewer bigint) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    RETURN owner_id FROM album WHERE album_id = id AND may_see_album(owner_id, visibility, hidden, viewer) FOR NO KEY UPDATE;
END $$;
CREATE FUNCTION hold_poi(id bigint, viewer bigint) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    RETURN owner_id FROM poi WHERE poi_id = id AND may_see_poi(owner_id, hidden, viewer) FOR NO KEY UPDATE;
END $$;
CREATE FUNCTION hold_blog(id bigint, viewer bigint) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    RETURN author_id FROM blog
        WHERE blog_id = id AND may_see_blog(author_id, visibility, post_date, hidden, viewer) FOR NO KEY UPDATE;
END $$;

-- The same, with others: it is only kept from going.
CREATE FUNCTION keep_album(id bigint, viewer bigint) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    RETURN owner_id FROM album WHERE album_id = id AND may_see_album(owner_id, visibility, hidden, viewer) FOR KEY SHARE;
END $$;
CREATE FUNCTION keep_poi(id bigint, viewer bigint) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    RETURN owner_id FROM poi WHERE poi_id = id AND may_see_poi(owner_id, hidden, viewer) FOR KEY SHARE;
END $$;
CREATE FUNCTION keep_blog(id bigint, viewer bigint) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    RETURN author_id FROM blog
        WHERE blog_id = id AND may_see_blog(author_id, visibility, post_date, hidden, viewer) FOR KEY SHARE;
END $$;

-- Keeps a piece as it is, for everybody to see: false where it is not, and at once where somebody is changing it.
CREATE FUNCTION keep_album_public(id bigint) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    PERFORM FROM album WHERE album_id = id AND may_see_album(owner_id, visibility, hidden, NULL) FOR SHARE SKIP LOCKED;
    RETURN FOUND;
END $$;
CREATE FUNCTION keep_poi_public(id bigint) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    PERFORM FROM poi WHERE poi_id = id AND may_see_poi(owner_id, hidden, NULL) FOR SHARE SKIP LOCKED;
    RETURN FOUND;
END $$;

-- Comments that are there -------------------------------------------------------------------------------------------

-- Locks a comment for a user: who has written it, and who has the piece; NULL where that user may not see it.
CREATE FUNCTION hold_comment(id bigint, viewer bigint, OUT writer bigint, OUT owner bigint) LANGUAGE plpgsql
SET search_path = mapdiary, pg_temp AS $$
BEGIN
    SELECT c.commenter_id, coalesce(a.owner_id, p.owner_id, b.author_id) INTO writer, owner FROM comment c
        LEFT JOIN visible_album(viewer) a USING (album_id)
        LEFT JOIN visible_poi(viewer) p USING (poi_id)
        LEFT JOIN visible_blog(viewer) b USING (blog_id)
        WHERE c.comment_id = id AND num_nonnulls(a.owner_id, p.owner_id, b.author_id) = 1
        AND may_list_comment(c.commenter_id, c.hidden, viewer) FOR UPDATE OF c;
END $$;

-- These alone change comments for a user, and answer whether that user may: the writer and the owner of the piece take one
-- away, the owner answers it, or takes the answer away. NULL where the user sees no such comment.
CREATE FUNCTION withdraw_comment(id bigint, viewer bigint) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
DECLARE
    held record := hold_comment(id, viewer);
BEGIN
    DELETE FROM comment WHERE comment_id = id AND viewer IN (held.writer, held.owner);
    RETURN viewer IN (held.writer, held.owner);
END $$;
-- Imported comments may have been written by other clocks.
CREATE FUNCTION answer_comment(id bigint, viewer bigint, answer text) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
DECLARE
    held record := hold_comment(id, viewer);
BEGIN
    UPDATE comment SET reply = answer, replied_at = CASE WHEN answer IS NOT NULL THEN greatest(now(), created_at) END
        WHERE comment_id = id AND held.owner = viewer;
    RETURN held.owner = viewer;
END $$;

-- Recommendations ----------------------------------------------------------------------------------------------------

-- Whoever gets a piece that they have recommended recommends it no longer. Arguments: the columns of piece and owner.
CREATE FUNCTION drop_own_recommendation() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    EXECUTE format('DELETE FROM recommendation WHERE %I = $1 AND user_id = $2', TG_ARGV[0])
        USING (to_jsonb(NEW) ->> TG_ARGV[0])::bigint, (to_jsonb(NEW) ->> TG_ARGV[1])::bigint;
    RETURN NULL;
END $$;
CREATE TRIGGER own_recommendation AFTER UPDATE OF owner_id ON album FOR EACH ROW
    WHEN (OLD.owner_id <> NEW.owner_id) EXECUTE FUNCTION drop_own_recommendation('album_id', 'owner_id');
CREATE TRIGGER own_recommendation AFTER UPDATE OF owner_id ON poi FOR EACH ROW
    WHEN (OLD.owner_id <> NEW.owner_id) EXECUTE FUNCTION drop_own_recommendation('poi_id', 'owner_id');
CREATE TRIGGER own_recommendation AFTER UPDATE OF author_id ON blog FOR EACH ROW
    WHEN (OLD.author_id <> NEW.author_id) EXECUTE FUNCTION drop_own_recommendation('blog_id', 'author_id');

-- What follows from a write follows, whoever it is who writes.
ALTER FUNCTION touch_piece SECURITY DEFINER SET search_path = mapdiary, pg_temp;
ALTER FUNCTION score_recommendations SECURITY DEFINER SET search_path = mapdiary, pg_temp;
ALTER FUNCTION refuse_own_piece SECURITY DEFINER SET search_path = mapdiary, pg_temp;
ALTER FUNCTION count_ballots SECURITY DEFINER SET search_path = mapdiary, pg_temp;
ALTER FUNCTION lock_leaver SECURITY DEFINER SET search_path = mapdiary, pg_temp;
