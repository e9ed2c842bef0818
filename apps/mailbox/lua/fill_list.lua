-- Fill a list with what a reader read from SQL, unless a change came in between.
-- KEYS[1] list: the copy
-- KEYS[2] string: token of the newest reader
-- ARGV[1] token of this reader
-- ARGV[2] lifetime of the copy, in seconds
-- ARGV[3..] the elements, in order
-- Returns 1 filled, 0 refused.
local list_key = KEYS[1]
local lease_key = KEYS[2]
local token = ARGV[1]
local lifetime = ARGV[2]

-- 1. A change or a later reader has taken the lease: these rows may be outdated.
if redis.call("GET", lease_key) ~= token then
  return 0
end

-- 2. Replace the list, and use the lease up. A list has 101 elements at most.
redis.call("DEL", lease_key, list_key)
redis.call("RPUSH", list_key, unpack(ARGV, 3))
redis.call("EXPIRE", list_key, lifetime)
return 1
