-- Read the clock of the server that holds a key: a cluster has many clocks.
-- KEYS[1] string, or of any other type: the key, of which nothing is read
-- Returns unix seconds and microseconds.
local time = KEYS[1] and redis.call("TIME")
return time
