-- Reserve a run of time-ordered ids: the second by the server's clock, never going back, and a counter per day.
-- KEYS[1] hash: the id clock of one noun, fields "second" and "counter"
-- ARGV[1] how many ids (1 or more)
-- ARGV[2] the ids' epoch, in unix seconds
-- ARGV[3] expiry of the clock, in seconds
-- Returns {second since the epoch, counter of the first id of the run}.
local clock, count, epoch, ttl = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

local state = redis.call("HMGET", clock, "second", "counter")
local last, counter = tonumber(state[1]) or 0, tonumber(state[2]) or 0
-- A clock that was set back must not hand out the same second with the same counter again.
local second = math.max(tonumber(redis.call("TIME")[1]) - epoch, last)
if math.floor(second / 86400) > math.floor(last / 86400) then
  counter = 0
end

redis.call("HSET", clock, "second", second, "counter", counter + count)
redis.call("EXPIRE", clock, ttl)
return { second, counter + 1 }
