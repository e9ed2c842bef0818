-- Add to two counters.
-- KEYS[1] string: a counter
-- KEYS[2] string: another
-- ARGV[1] how much
-- Returns both new counts.
return {count_up({KEYS[1]}, ARGV), count_up({KEYS[2]}, ARGV)}
