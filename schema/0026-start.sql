-- The newest public albums, for the box that a map shows first.

-- Only albums that everybody sees: private albums of one user do not keep those of others out of the newest 500.
CREATE INDEX album_newest ON album (number) WHERE visibility = 'public' AND hidden IS NULL;
