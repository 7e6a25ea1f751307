-- Pieces: albums, points of interest, and blogs with their votes.

-- The kinds of pieces are 0 for albums, 1 for points of interest, and 2 for blogs. A slot is one of the 30 things by which
-- pieces are counted: the categories of albums (1 to 16), those of points of interest (17 to 21), and the types of blogs (22 to
-- 30). Each kind counts its numbers from 1 on. Statements that write a piece of one kind name the partition of that kind, whose
-- defaults are the kind and the next number.
CREATE TABLE piece (
    number         bigint NOT NULL,
    owner_id       bigint NOT NULL REFERENCES user_account ON DELETE CASCADE,
    kind           smallint NOT NULL,
    slot           smallint NOT NULL,
    score          integer NOT NULL DEFAULT 0,
    created_at     timestamptz DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    version        integer NOT NULL DEFAULT 1,
    public_day     date NOT NULL DEFAULT '-infinity',
    visibility     visibility NOT NULL DEFAULT 'public',
    hidden         hiding,
    lat            latitude NOT NULL,
    lng            longitude NOT NULL,
    title          text_line NOT NULL,
    cover_photo_id bigint,
    post_date      date,
    weather        weather,
    zoom_level     smallint,
    map_type       smallint,
    reply_number   bigint,
    user_category  text_line,
    content        body,
    PRIMARY KEY (kind, number)
) PARTITION BY LIST (kind);
CREATE FUNCTION slot_name(slot smallint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN slot <= 16 THEN slot::text WHEN slot <= 21 THEN (slot - 16)::text ELSE '0_' || slot - 22 END
$$;
COMMENT ON FUNCTION slot_name IS 'The category or the type, as clients see it.';
CREATE FUNCTION blog_slot(type text) RETURNS smallint LANGUAGE sql IMMUTABLE AS 'SELECT (22 + substr(type, 3)::smallint)::smallint';
COMMENT ON FUNCTION blog_slot IS 'The slot of a type of blogs, such as "0_4".';
COMMENT ON TABLE piece IS 'Pieces: albums, points of interest, and blogs, each kind in a partition.';
COMMENT ON COLUMN piece.number IS 'The identifier that clients see, unique within the kind.';
COMMENT ON COLUMN piece.slot IS 'The category of an album, that of a point of interest and 16, or the type of a blog and 22.';
COMMENT ON COLUMN piece.score IS 'A number that an import or an operator has set, and one for each recommendation.';
COMMENT ON COLUMN piece.version IS 'How often the piece was written: one more with each update.';
COMMENT ON COLUMN piece.created_at IS 'NULL of a point of interest: nobody asks, and there are many.';
COMMENT ON COLUMN piece.updated_at IS 'When the piece changed, or one of the photos of an album or a point of interest.';
COMMENT ON COLUMN piece.public_day IS 'Others see the piece from this day on.';
COMMENT ON COLUMN piece.visibility IS 'Whether others see the piece. All points of interest are public.';
COMMENT ON COLUMN piece.hidden IS 'If not NULL, only the owner sees the piece.';
COMMENT ON COLUMN piece.cover_photo_id IS 'A photo of the album; NULL is the first.';
COMMENT ON COLUMN piece.post_date IS 'The date of a blog, by which lists are ordered. The columns from here on are of blogs alone.';
COMMENT ON COLUMN piece.reply_number IS 'The blog that this one answers.';
COMMENT ON COLUMN piece.user_category IS 'A word of the author.';
COMMENT ON COLUMN piece.content IS 'HTML.';

-- PostgreSQL prepares each constraint and each condition of an index anew in each statement that writes, so each partition has
-- one constraint.
CREATE SEQUENCE album_number MAXVALUE 9007199254740991;
CREATE TABLE album PARTITION OF piece (
    kind DEFAULT 0, number DEFAULT nextval('album_number'), created_at NOT NULL,
    CONSTRAINT album_check CHECK (number > 0 AND slot BETWEEN 1 AND 16 AND public_day = '-infinity'
        AND num_nonnulls(post_date, weather, zoom_level, map_type, reply_number, user_category, content) = 0)
) FOR VALUES IN (0);
ALTER SEQUENCE album_number OWNED BY album.number;
CREATE INDEX album_owner ON album (owner_id, number);
-- A list for others reads this index: the time that it takes does not tell how many private albums there are.
CREATE INDEX album_public ON album (owner_id, number) WHERE visibility = 'public' AND hidden IS NULL;
CREATE INDEX album_point ON album (place_number(lat, lng), lat, lng, number);
COMMENT ON TABLE album IS 'Albums of photos.';

CREATE SEQUENCE poi_number MAXVALUE 9007199254740991;
CREATE TABLE poi PARTITION OF piece (
    kind DEFAULT 1, number DEFAULT nextval('poi_number'), created_at DEFAULT NULL,
    CONSTRAINT poi_check CHECK (number > 0 AND slot BETWEEN 17 AND 21 AND public_day = '-infinity' AND visibility = 'public'
        AND num_nonnulls(cover_photo_id, post_date, weather, zoom_level, map_type, reply_number, user_category, content) = 0)
) FOR VALUES IN (1);
ALTER SEQUENCE poi_number OWNED BY poi.number;
CREATE INDEX poi_owner ON poi (owner_id);
CREATE INDEX poi_hidden ON poi (owner_id) WHERE hidden IS NOT NULL;
-- A list of a category reads each row to see whether it is hidden, so the index has no titles, and is a third as large.
CREATE INDEX poi_of_category ON poi (slot, number);
CREATE INDEX poi_point ON poi (place_number(lat, lng), lat, lng, number);
COMMENT ON TABLE poi IS 'Points of interest, which administrators manage.';

CREATE SEQUENCE blog_number MAXVALUE 9007199254740991;
CREATE TABLE blog PARTITION OF piece (
    kind DEFAULT 2, number DEFAULT nextval('blog_number'), created_at NOT NULL, public_day DEFAULT NULL, zoom_level DEFAULT 14 NOT NULL,
    map_type DEFAULT 1 NOT NULL, post_date NOT NULL, weather NOT NULL, content NOT NULL,
    CONSTRAINT blog_check CHECK (number > 0 AND slot BETWEEN 22 AND 30 AND cover_photo_id IS NULL
        AND post_date BETWEEN '0001-01-01' AND '9999-12-31' AND public_day <= post_date
        AND zoom_level BETWEEN 0 AND 21 AND map_type BETWEEN 1 AND 3 AND (reply_number <> number) IS NOT FALSE),
    FOREIGN KEY (kind, reply_number) REFERENCES blog (kind, number) ON DELETE SET NULL (reply_number)
) FOR VALUES IN (2);
ALTER SEQUENCE blog_number OWNED BY blog.number;
CREATE INDEX blog_reply ON blog (reply_number) WHERE reply_number IS NOT NULL;
CREATE INDEX blog_of_author ON blog (owner_id, post_date, number);
-- Lists for others read these indexes: the time that they take does not tell how many blogs are private, or wait for their date.
CREATE INDEX blog_newest ON blog ((public_day < post_date), post_date, number) WHERE visibility = 'public' AND hidden IS NULL;
CREATE INDEX blog_newest_of_type ON blog (slot, (public_day < post_date), post_date, number)
    WHERE visibility = 'public' AND hidden IS NULL;
CREATE INDEX blog_newest_of_author ON blog (owner_id, (public_day < post_date), post_date, number)
    WHERE visibility = 'public' AND hidden IS NULL;
CREATE INDEX blog_point ON blog (place_number(lat, lng), lat, lng, number);
COMMENT ON TABLE blog IS 'Blogs, which are entries of a diary.';

-- The indexes above become parts of it.
CREATE INDEX piece_point ON piece (place_number(lat, lng), lat, lng, number);

-- A day begins first at UTC+14.
CREATE FUNCTION may_be_published(of_date date) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF of_date > (now() AT TIME ZONE 'Etc/GMT-14')::date THEN
        RAISE EXCEPTION USING ERRCODE = 'MD009', MESSAGE = 'this day has begun nowhere';
    END IF;
    RETURN true;
END $$;
COMMENT ON FUNCTION may_be_published IS
    'True for the date of a blog that others are to see now. Refuses with MD009 a date that has begun nowhere on earth.';

CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END $$;
CREATE TRIGGER change_noted BEFORE UPDATE ON blog FOR EACH ROW
    WHEN ((OLD.slot, OLD.lat::text, OLD.lng::text, OLD.title, OLD.content, OLD.post_date, OLD.weather, OLD.reply_number,
           OLD.zoom_level, OLD.map_type, OLD.user_category, OLD.visibility) IS DISTINCT FROM
          (NEW.slot, NEW.lat::text, NEW.lng::text, NEW.title, NEW.content, NEW.post_date, NEW.weather, NEW.reply_number,
           NEW.zoom_level, NEW.map_type, NEW.user_category, NEW.visibility))
    EXECUTE FUNCTION note_change();

-- Votes --------------------------------------------------------------------------------------------------------------

CREATE TABLE vote (
    blog_id     bigint PRIMARY KEY,
    kind        smallint NOT NULL DEFAULT 2 CHECK (kind = 2),
    description text_line NOT NULL,
    closed_at   timestamptz,
    FOREIGN KEY (kind, blog_id) REFERENCES blog (kind, number) ON DELETE CASCADE
);
COMMENT ON TABLE vote IS 'A vote that a blog has.';
COMMENT ON COLUMN vote.kind IS 'Of blogs, because a piece has its kind in its key.';
COMMENT ON COLUMN vote.description IS 'The question.';

CREATE TABLE vote_choice (
    blog_id     bigint NOT NULL REFERENCES vote ON DELETE CASCADE,
    position    smallint NOT NULL CHECK (position > 0),
    description text_line NOT NULL,
    votes       integer NOT NULL DEFAULT 0 CHECK (votes >= 0),
    PRIMARY KEY (blog_id, position)
);
COMMENT ON TABLE vote_choice IS 'The choices of a vote.';
COMMENT ON COLUMN vote_choice.votes IS 'One for each ballot, and what an import has set.';

CREATE TABLE ballot (
    blog_id  bigint NOT NULL REFERENCES vote ON DELETE CASCADE,
    user_id  bigint NOT NULL REFERENCES user_account ON DELETE CASCADE,
    position smallint NOT NULL,
    cast_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (blog_id, user_id),
    FOREIGN KEY (blog_id, position) REFERENCES vote_choice ON DELETE CASCADE
);
CREATE INDEX ballot_user ON ballot (user_id);
COMMENT ON TABLE ballot IS 'Which choice a user has made. A user has one ballot in a vote.';

-- Refuses with MD006 if the vote is closed.
CREATE FUNCTION count_ballots() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
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
CREATE TRIGGER ballot_given AFTER INSERT ON ballot REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_ballots();
CREATE TRIGGER ballot_gone AFTER DELETE ON ballot REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_ballots();

-- Such rows are there or not; nobody changes them.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is not changed', TG_TABLE_NAME;
END $$;
CREATE TRIGGER unchanged BEFORE UPDATE ON ballot FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Rewards ------------------------------------------------------------------------------------------------------------

-- The keys have the day, so that the table can be partitioned by days. The primary key finds the entries of a user's day.
CREATE TABLE ledger (
    entry_id    bigint GENERATED BY DEFAULT AS IDENTITY (MAXVALUE 9007199254740991),
    user_id     bigint NOT NULL REFERENCES user_account ON DELETE CASCADE,
    blog_id     bigint,
    kind        smallint NOT NULL DEFAULT 2 CHECK (kind = 2),
    amount      integer NOT NULL CHECK (amount > 0),
    credited_on date NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, credited_on, entry_id),
    UNIQUE (blog_id, credited_on),
    FOREIGN KEY (kind, blog_id) REFERENCES blog (kind, number) ON DELETE SET NULL (blog_id)
);
COMMENT ON TABLE ledger IS 'Rewards for blogs. An entry outlives its blog, so deleting a blog and posting it again earns nothing.';
COMMENT ON COLUMN ledger.kind IS 'Of blogs.';
COMMENT ON COLUMN ledger.credited_on IS 'The day in the time zone of the service, by which the daily limit counts.';
