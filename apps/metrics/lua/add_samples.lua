-- Add a second of a process to counters, to statistics of durations, and to Prometheus' sums.
-- KEYS[1] zset: names of counters by the unix second of their newest event
-- KEYS[2] zset: contexts with durations by the unix second of their last one
-- KEYS[3] hash: sums by field
-- KEYS[4..] hash: a counter's samples, a key a precision; then a context's this and last hour
-- ARGV[1] the precisions, in seconds, as "1 5 60"
-- ARGV[2] samples after which a counter that got no event expires
-- ARGV[3] seconds that statistics are kept after their last duration
-- ARGV[4] number of counters
-- ARGV[5] number of contexts
-- ARGV[6..] of each counter: name, events; of each context: name, count, total in nanoseconds,
-- squares in square nanoseconds, smallest and largest in microseconds, number of buckets, each
-- bucket's index and count;
-- of each sum: field, what it grows by
-- Returns 1 added, -1 a key of another type.
local counters = KEYS[1]
local contexts = KEYS[2]
local sums = KEYS[3]
local max_samples = tonumber(ARGV[2])
local timing_ttl = ARGV[3]
local counter_count = tonumber(ARGV[4])
local context_count = tonumber(ARGV[5])
local FIRST_HASH = 3
local HOUR = 3600
local BROKEN = -1
local ADDED = 1

-- Check every type before the first write, so a key of a wrong type changes nothing.
for position, key in ipairs(KEYS) do
  local expected = position < FIRST_HASH and "zset" or "hash"
  local actual = redis.call("TYPE", key).ok
  if actual ~= expected and actual ~= "none" then
    return BROKEN
  end
end

local now = tonumber(redis.call("TIME")[1])
local hour = math.floor(now / HOUR)
local next_key = FIRST_HASH
local next_arg = 5

-- The arguments after the fixed ones, one by one.
local function take()
  next_arg = next_arg + 1
  return ARGV[next_arg]
end

-- Counters: a new sample sets the expiry of its precision anew.
for _ = 1, counter_count do
  local name = take()
  local events = take()
  redis.call("ZADD", counters, now, name)
  for precision in string.gmatch(ARGV[1], "%d+") do
    next_key = next_key + 1
    local samples = KEYS[next_key]
    local start = now - now % precision
    if redis.call("HINCRBY", samples, start, events) == tonumber(events) then
      redis.call("EXPIRE", samples, precision * max_samples)
    end
  end
end

-- Statistics: when an hour has passed, this hour becomes the last.
for _ = 1, context_count do
  local this_hour = KEYS[next_key + 1]
  local last_hour = KEYS[next_key + 2]
  next_key = next_key + 2
  local began = tonumber(redis.call("HGET", this_hour, "hour") or nil)
  if began and began == hour - 1 then
    redis.call("RENAME", this_hour, last_hour)
  elseif began and began ~= hour then
    redis.call("DEL", this_hour, last_hour)
  end
  redis.call("ZADD", contexts, now, take())
  redis.call("HSET", this_hour, "hour", hour)
  redis.call("HINCRBY", this_hour, "count", take())
  redis.call("HINCRBY", this_hour, "nanoseconds", take())
  -- They leave the range of 64 bits: one duration of 4 seconds does.
  redis.call("HINCRBYFLOAT", this_hour, "square_nanoseconds", take())
  local smallest = take()
  local largest = take()
  local known = redis.call("HMGET", this_hour, "smallest", "largest")
  if not known[1] or tonumber(smallest) < tonumber(known[1]) then
    redis.call("HSET", this_hour, "smallest", smallest)
  end
  if not known[2] or tonumber(largest) > tonumber(known[2]) then
    redis.call("HSET", this_hour, "largest", largest)
  end
  for _ = 1, tonumber(take()) do
    redis.call("HINCRBY", this_hour, take(), take())
  end
  redis.call("EXPIRE", this_hour, timing_ttl)
end

-- Forget contexts whose statistics have expired.
redis.call("ZREMRANGEBYSCORE", contexts, "-inf", now - timing_ttl)
redis.call("EXPIRE", contexts, timing_ttl)

-- Sums: all other arguments.
while next_arg < #ARGV do
  redis.call("HINCRBY", sums, take(), take())
end
return ADDED
