-- Acknowledge finished entries and delete them: a stream holds only what is still to be done.
-- KEYS[1] stream
-- ARGV[1] consumer group
-- ARGV[2..] entry ids
-- Returns how many were still pending.
local stream, group = KEYS[1], ARGV[1]

local settled = redis.call("XACK", stream, group, unpack(ARGV, 2))
redis.call("XDEL", stream, unpack(ARGV, 2))
return settled
