-- Reserve a run of time-ordered ids: the server's second, never going back, and a counter per day.
-- KEYS[1] hash: the id clock of one noun, fields "second" and "counter"
-- ARGV[1] how many ids (1 or more)
-- ARGV[2] the ids' epoch, in unix seconds
-- ARGV[3] expiry of the clock, in seconds
-- Returns {second since the epoch, counter of the first id of the run}.
local SECONDS_PER_DAY = 86400
local clock, count, epoch, ttl = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

-- 1. A clock that was set back must not give the same second with the same counter again.
local fields = redis.call("HMGET", clock, "second", "counter")
local last_second, counter = tonumber(fields[1]) or 0, tonumber(fields[2]) or 0
local second = math.max(tonumber(redis.call("TIME")[1]) - epoch, last_second)

-- 2. The counter starts over each day.
if math.floor(second / SECONDS_PER_DAY) > math.floor(last_second / SECONDS_PER_DAY) then
  counter = 0
end
redis.call("HSET", clock, "second", second, "counter", counter + count)
redis.call("EXPIRE", clock, ttl)
return { second, counter + 1 }
