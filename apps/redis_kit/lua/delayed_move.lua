-- Hand the jobs whose time has come to the workers' queues, each from here to there at once.
-- KEYS[1] zset: job keys scored by the millisecond they are due
-- KEYS[2] hash: job key -> place of its queue, ":" and the message
-- KEYS[3..] list: the workers' queues
-- ARGV[1] most jobs to move
-- Returns {jobs moved, ms until the next is due, -1 when there is none}.
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local due = redis.call("ZRANGEBYSCORE", KEYS[1], "-inf", now, "LIMIT", 0, ARGV[1])
local moved = 0
if #due > 0 then
  for _, job in ipairs(redis.call("HMGET", KEYS[2], unpack(due))) do
    -- A message that was lost leaves its place in the order behind; there is nothing to hand over.
    if job then
      redis.call("LPUSH", KEYS[2 + tonumber(string.sub(job, 1, 1))], string.sub(job, 3))
      moved = moved + 1
    end
  end
  redis.call("ZREM", KEYS[1], unpack(due))
  redis.call("HDEL", KEYS[2], unpack(due))
end
local next = redis.call("ZRANGE", KEYS[1], 0, 0, "WITHSCORES")[2]
return { moved, next and math.max(0, tonumber(next) - now) or -1 }
