-- Add to a counter.
-- KEYS[1] string: the counter
-- ARGV[1] how much
-- Returns the new count.
return redis.call("INCRBY", KEYS[1], tonumber(ARGV[1]))
