-- Hand the jobs whose time has come to the workers' queues, and once more those that a worker took to its grave.
-- These were handed over, are in no queue and were not finished in time.
-- KEYS[1] zset: job keys scored by the millisecond they are due
-- KEYS[2] hash: job key -> place of its queue, task id (36 characters), ":" and the message
-- KEYS[3] zset: handed job keys scored by the millisecond by which they should be finished
-- KEYS[4..] list: the workers' queues
-- ARGV[1] most jobs to move
-- ARGV[2] milliseconds in which a job should be finished
-- Returns {jobs moved, ms until the next is due, -1 when there is none}.
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local waiting = 0
for place = 4, #KEYS do
  waiting = waiting + redis.call("LLEN", KEYS[place])
end
local moved = 0
local function hand(names)
  local lost, handed = {}, {}
  for place, job in ipairs(redis.call("HMGET", KEYS[2], unpack(names))) do
    if job then
      redis.call("LPUSH", KEYS[3 + tonumber(string.sub(job, 1, 1))], string.sub(job, 39))
      handed[#handed + 1] = now + ARGV[2]
      handed[#handed + 1] = names[place]
      moved = moved + 1
    else
      lost[#lost + 1] = names[place]
    end
  end
  if #lost > 0 then
    redis.call("ZREM", KEYS[3], unpack(lost))
  end
  if #handed > 0 then
    redis.call("ZADD", KEYS[3], unpack(handed))
  end
end
local late = redis.call("ZRANGEBYSCORE", KEYS[3], "-inf", now, "LIMIT", 0, ARGV[1])
if #late > 0 and waiting == 0 then
  hand(late)
end
local due = redis.call("ZRANGEBYSCORE", KEYS[1], "-inf", now, "LIMIT", 0, ARGV[1])
if #due > 0 then
  hand(due)
  redis.call("ZREM", KEYS[1], unpack(due))
end
local next = redis.call("ZRANGE", KEYS[1], 0, 0, "WITHSCORES")[2]
return { moved, next and math.max(0, tonumber(next) - now) or -1 }
