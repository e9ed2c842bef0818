-- Mark a token as refused: "revoked" replaces any cached log-in, "unknown" only fills an empty key.
-- KEYS[1] string: the cached log-in, becomes "gone:" and the reason; another type counts as empty
-- ARGV[1] "revoked" or "unknown"
-- ARGV[2] expiry, in seconds
-- Returns 1 marked, 0 left as it was.
local cached = KEYS[1]
local reason = ARGV[1]
local ttl = ARGV[2]

if reason == "unknown" and redis.call("MGET", cached)[1] then
  return 0
end
redis.call("SET", cached, "gone:" .. reason, "EX", ttl)
return 1
