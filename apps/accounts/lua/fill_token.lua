-- Make the hot copy of a log-in that SQL calls live, unless it was revoked in the meantime.
-- KEYS[1] hash: the hot copy
-- ARGV[1] user id
-- ARGV[2] token id
-- ARGV[3] expiry, in seconds
-- ARGV[4] seconds until SQL is renewed
-- Returns 1 made, 0 refused: a revoked marker is there.
local copy, user, id, ttl = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local renew_every = tonumber(ARGV[4])

if redis.call("TYPE", copy).ok == "hash" and redis.call("HGET", copy, "gone") == "revoked" then
  return 0
end
local now = tonumber(redis.call("TIME")[1])
redis.call("DEL", copy)
redis.call("HSET", copy, "user", user, "id", id, "seen", now, "due", now + renew_every)
redis.call("EXPIRE", copy, ttl)
return 1
