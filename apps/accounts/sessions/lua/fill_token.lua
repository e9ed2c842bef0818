-- Cache a log-in that SQL calls live, unless it was revoked in the meantime.
-- KEYS[1] string: the cached log-in "user:id:due:next"; due = unix second from which SQL must be
-- told of a use, next = unix second from which a use writes this key again
-- ARGV[1] user id
-- ARGV[2] token id
-- ARGV[3] expiry, in seconds
-- ARGV[4] how often the expiry slides, in seconds
-- ARGV[5] how often SQL is renewed, in seconds
-- Returns 1 cached, 0 refused: a "revoked" marker is there.
local cached = KEYS[1]
local user_id = ARGV[1]
local token_id = ARGV[2]
local ttl = ARGV[3]
local slide_every = ARGV[4]
local renew_every = ARGV[5]

-- MGET, unlike GET, answers nil for a key of another type.
if redis.call("MGET", cached)[1] == "gone:revoked" then
  return 0
end
local now = tonumber(redis.call("TIME")[1])
local due = now + renew_every
local next_write = now + slide_every
local value = string.format("%s:%s:%d:%d", user_id, token_id, due, next_write)
redis.call("SET", cached, value, "EX", ttl)
return 1
