-- Fill a copy with what a reader read from SQL, unless a change came in between.
-- KEYS[1] set|list|zset: the copy
-- KEYS[2] string: token of the newest reader
-- ARGV[1] token of this reader
-- ARGV[2] lifetime of the copy, in seconds
-- ARGV[3] command that adds elements: "SADD" for a set, "RPUSH" for a list, "ZADD" for a sorted set
-- ARGV[4..] the elements, in order; of a sorted set score and member in turn
-- Returns 1 filled, 0 refused.
local copy_key = KEYS[1]
local lease_key = KEYS[2]
local token = ARGV[1]
local lifetime = ARGV[2]
local command = ARGV[3]
-- A call takes a few thousand arguments at most.
local SLICE_SIZE = 1000

-- 1. A change or a later reader has taken the lease: these rows may be outdated.
if redis.call("GET", lease_key) ~= token then
  return 0
end

-- 2. Replace the copy, and use the lease up.
redis.call("DEL", lease_key, copy_key)
for first = 4, #ARGV, SLICE_SIZE do
  local last = math.min(first + SLICE_SIZE - 1, #ARGV)
  redis.call(command, copy_key, unpack(ARGV, first, last))
end
redis.call("EXPIRE", copy_key, lifetime)
return 1
