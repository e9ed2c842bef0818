-- Cache an owner's set of ids as read from SQL, unless a change came in between.
-- KEYS[1] set: the ids, and 0
-- KEYS[2] string: token of the newest reader
-- ARGV[1] token of this reader
-- ARGV[2] lifetime of the set, in seconds
-- ARGV[3..] the members, 0 first
-- Returns 1 filled, 0 refused.
local set_key = KEYS[1]
local lease_key = KEYS[2]
local token = ARGV[1]
local lifetime = ARGV[2]
-- A call takes a few thousand arguments at most.
local SLICE_SIZE = 1000

-- 1. A change or a later reader has taken the lease: these rows may be outdated.
if redis.call("GET", lease_key) ~= token then
  return 0
end

-- 2. Replace the set, and use the lease up.
redis.call("DEL", lease_key, set_key)
for first = 3, #ARGV, SLICE_SIZE do
  local last = math.min(first + SLICE_SIZE - 1, #ARGV)
  redis.call("SADD", set_key, unpack(ARGV, first, last))
end
redis.call("EXPIRE", set_key, lifetime)
return 1
