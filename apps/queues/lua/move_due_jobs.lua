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

local late, old = {}, { {}, {} }
for _, call in ipairs(redis.call("ZRANGEBYSCORE", KEYS[3], "-inf", now, "LIMIT", 0, ARGV[1])) do
  if #old[1] >= tonumber(ARGV[1]) then break end
  late[#late + 1] = call
  local handed = cmsgpack.unpack(call)
  for place, name in ipairs(handed[1]) do
    old[1][#old[1] + 1], old[2][#old[2] + 1] = name, handed[2][place]
  end
end
if #late > 0 then
  local waiting, again = 0, { {}, {} }
  for place = 4, #KEYS do waiting = waiting + redis.call("LLEN", KEYS[place]) end
  redis.call("ZREM", KEYS[3], unpack(late))
  for place, job in ipairs(redis.call("HMGET", KEYS[2], unpack(old[1]))) do
    local unfinished = job and string.sub(job, 18, 25) == old[2][place]
    if unfinished and waiting == 0 then
      take(old[1][place], job)
    elseif unfinished then
      again[1][#again[1] + 1], again[2][#again[2] + 1] = old[1][place], old[2][place]
    end
  end
  if #again[1] > 0 then redis.call("ZADD", KEYS[3], now + math.min(1000, ARGV[2]), cmsgpack.pack(again)) end
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
return { #names, #late > 0 and 0 or next and math.max(0, tonumber(next) - now) or -1 }
