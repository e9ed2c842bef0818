-- Leave a marker where a log-in's hot copy would be: "revoked" replaces anything, "unknown" only nothing.
-- KEYS[1] hash: the hot copy
-- ARGV[1] "revoked" or "unknown"
-- ARGV[2] expiry, in seconds
-- Returns 1 marked, 0 left as it was.
local copy, why, ttl = KEYS[1], ARGV[1], tonumber(ARGV[2])

if why == "unknown" and redis.call("EXISTS", copy) == 1 then
  return 0
end
redis.call("DEL", copy)
redis.call("HSET", copy, "gone", why)
redis.call("EXPIRE", copy, ttl)
return 1
