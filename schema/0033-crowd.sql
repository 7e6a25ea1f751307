-- The places of a crowd are read in the order of their index. Before there are statistics, PostgreSQL expects few pieces of a kind, and
-- would read all of them and sort for each step.
ALTER FUNCTION sparse_pieces SET enable_sort = off;
