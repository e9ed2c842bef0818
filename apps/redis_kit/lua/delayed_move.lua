-- Hand the jobs whose time has come to the workers' queues, and once more those that a worker took to its grave.
-- These were handed over, are in no queue and were not finished in time.
-- KEYS[1] zset: job keys scored by the millisecond they are due
-- KEYS[2] hash: job key -> its message, which begins with the place of its queue and the id of its task
-- KEYS[3] zset: {job keys, beginnings of their task ids} of a call, scored by when they should be finished
-- KEYS[4..] list: the workers' queues
-- ARGV[1] most jobs to move
-- ARGV[2] milliseconds in which a job should be finished
-- Returns {jobs moved, ms until the next is due, -1 when there is none}.
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local messages, names, ids = {}, {}, {}

-- Gathered first: a command for each job would cost more than the job, and so would a copy of its message.
local function take(name, job)
  local queue = KEYS[3 + tonumber(string.sub(job, 10, 10))]
  messages[queue] = messages[queue] or {}
  messages[queue][#messages[queue] + 1] = job
  names[#names + 1] = name
  ids[#ids + 1] = string.sub(job, 18, 25)
end

local late = redis.call("ZRANGEBYSCORE", KEYS[3], "-inf", now, "LIMIT", 0, 1)[1]
if late then
  local waiting, again, handed = 0, { {}, {} }, cmsgpack.unpack(late)
  for place = 4, #KEYS do
    waiting = waiting + redis.call("LLEN", KEYS[place])
  end
  redis.call("ZREM", KEYS[3], late)
  for place, job in ipairs(redis.call("HMGET", KEYS[2], unpack(handed[1]))) do
    local unfinished = job and string.sub(job, 18, 25) == handed[2][place]
    if unfinished and waiting == 0 then
      take(handed[1][place], job)
    elseif unfinished then
      table.insert(again[1], handed[1][place])
      table.insert(again[2], handed[2][place])
    end
  end
  if #again[1] > 0 then
    redis.call("ZADD", KEYS[3], now + math.min(1000, ARGV[2]), cmsgpack.pack(again))
  end
end

local due = redis.call("ZRANGEBYSCORE", KEYS[1], "-inf", now, "LIMIT", 0, ARGV[1])
if #due > 0 then
  for place, job in ipairs(redis.call("HMGET", KEYS[2], unpack(due))) do
    if job then take(due[place], job) end
  end
  redis.call("ZREMRANGEBYRANK", KEYS[1], 0, #due - 1)
end

for queue, several in pairs(messages) do
  redis.call("LPUSH", queue, unpack(several))
end
if #names > 0 then redis.call("ZADD", KEYS[3], now + ARGV[2], cmsgpack.pack({ names, ids })) end
local next = redis.call("ZRANGE", KEYS[1], 0, 0, "WITHSCORES")[2]
return { #names, late and 0 or next and math.max(0, tonumber(next) - now) or -1 }
