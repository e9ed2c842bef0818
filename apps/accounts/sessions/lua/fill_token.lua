-- Make the hot copy of a log-in that SQL calls live, unless it was revoked in the meantime.
-- KEYS[1] string: the hot copy, "user:id:due:next": the second to tell SQL of a use, and that of the next write
-- ARGV[1] user id
-- ARGV[2] token id
-- ARGV[3] expiry, in seconds
-- ARGV[4] how often the expiry slides, in seconds
-- ARGV[5] how often SQL is renewed, in seconds
-- Returns 1 made, 0 refused: a revoked marker is there.
local copy, user, id, ttl = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local slide_every, renew_every = ARGV[4], ARGV[5]

-- MGET, unlike GET, takes a key of another type for none.
if redis.call("MGET", copy)[1] == "gone:revoked" then
  return 0
end
local now = tonumber(redis.call("TIME")[1])
redis.call("SET", copy, string.format("%s:%s:%d:%d", user, id, now + renew_every, now + slide_every), "EX", ttl)
return 1
