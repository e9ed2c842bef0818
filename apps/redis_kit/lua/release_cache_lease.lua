-- Give back the lease of a load that failed, so that the next reader tries at once.
-- KEYS[1] hash: one entry, as in read_cache_entry.lua
-- ARGV[1] token of the loader
-- Returns 1 given back, 0 when it was another reader's or gone.
local entry, token = KEYS[1], ARGV[1]

if redis.call("HGET", entry, "lease") ~= token then
  return 0
end
redis.call("HDEL", entry, "lease", "lease_until")
return 1
