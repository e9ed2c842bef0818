-- Leave a marker where a log-in's hot copy would be: "revoked" replaces anything, "unknown" only nothing.
-- KEYS[1] string: the hot copy, "gone:" and why from here on; a key of another type counts as nothing
-- ARGV[1] "revoked" or "unknown"
-- ARGV[2] expiry, in seconds
-- Returns 1 marked, 0 left as it was.
local copy, why, ttl = KEYS[1], ARGV[1], ARGV[2]

if why == "unknown" and redis.call("MGET", copy)[1] then
  return 0
end
redis.call("SET", copy, "gone:" .. why, "EX", ttl)
return 1
