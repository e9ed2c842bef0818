-- Move due jobs into the workers' queues, and move unfinished jobs again when their time is over.
-- KEYS[1] zset: job keys, scored by the millisecond at which they are due
-- KEYS[2] hash: job key -> "<queue number> <task id> <message>"; queue 1 is KEYS[4]
-- KEYS[3] zset: batches of moved jobs as packed {job keys, beginnings of their task ids}, scored by
-- the millisecond at which they should be finished
-- KEYS[4..] list: the workers' queues
-- ARGV[1] most jobs to move
-- ARGV[2] milliseconds in which a job should be finished
-- Returns {jobs moved, milliseconds until the next is due, or -1 when there is none}.
local due_key, jobs_key, batches_key = KEYS[1], KEYS[2], KEYS[3]
local max_jobs = tonumber(ARGV[1])
local finish_ms = tonumber(ARGV[2])
local ID_LENGTH = 8
local RETRY_MS = 1000

local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- Messages are pushed together, queue by queue: one command a job would cost more than the job.
local messages = {}
local moved_keys, moved_ids = {}, {}

local function collect(job_key, queue_number, task_id, message)
  local queue = KEYS[3 + tonumber(queue_number)]
  messages[queue] = messages[queue] or {}
  table.insert(messages[queue], message)
  table.insert(moved_keys, job_key)
  table.insert(moved_ids, string.sub(task_id, 1, ID_LENGTH))
end

local function parse(job)
  return string.match(job or "", "^(%d+) (%S+) (.+)$")
end

local function add_batch(job_keys, task_ids, deadline)
  if #job_keys > 0 then
    redis.call("ZADD", batches_key, deadline, cmsgpack.pack({ job_keys, task_ids }))
  end
end

-- 1. Read the batches that should be finished by now, up to the most jobs of one call.
local late_batches = {}
local late_keys, late_ids = {}, {}
local found_batches = redis.call("ZRANGEBYSCORE", batches_key, "-inf", now, "LIMIT", 0, max_jobs)
for _, batch in ipairs(found_batches) do
  if #late_keys >= max_jobs then
    break
  end
  table.insert(late_batches, batch)
  local handed = cmsgpack.unpack(batch)
  for index, job_key in ipairs(handed[1]) do
    table.insert(late_keys, job_key)
    table.insert(late_ids, handed[2][index])
  end
end

-- 2. Move their unfinished jobs again. While any message waits in a queue, it may be one of theirs:
-- try again in a second.
if #late_batches > 0 then
  local waiting = 0
  for number = 4, #KEYS do
    waiting = waiting + redis.call("LLEN", KEYS[number])
  end
  local delayed_keys, delayed_ids = {}, {}
  redis.call("ZREM", batches_key, unpack(late_batches))
  for index, job in ipairs(redis.call("HMGET", jobs_key, unpack(late_keys))) do
    local queue_number, task_id, message = parse(job)
    local unfinished = task_id and string.sub(task_id, 1, ID_LENGTH) == late_ids[index]
    if unfinished and waiting == 0 then
      collect(late_keys[index], queue_number, task_id, message)
    elseif unfinished then
      table.insert(delayed_keys, late_keys[index])
      table.insert(delayed_ids, late_ids[index])
    end
  end
  add_batch(delayed_keys, delayed_ids, now + math.min(RETRY_MS, finish_ms))
end

-- 3. Move the jobs that are due; a key without a job is dropped.
local due_keys = redis.call("ZRANGEBYSCORE", due_key, "-inf", now, "LIMIT", 0, max_jobs)
if #due_keys > 0 then
  for index, job in ipairs(redis.call("HMGET", jobs_key, unpack(due_keys))) do
    local queue_number, task_id, message = parse(job)
    if message then
      collect(due_keys[index], queue_number, task_id, message)
    end
  end
  redis.call("ZREMRANGEBYRANK", due_key, 0, #due_keys - 1)
end

-- 4. Push what was collected and remember the batch until its jobs are finished.
for queue, queue_messages in pairs(messages) do
  redis.call("LPUSH", queue, unpack(queue_messages))
end
add_batch(moved_keys, moved_ids, now + finish_ms)

-- 5. The caller may sleep until the next job, or 0 ms when there may be more late batches.
if #late_batches > 0 then
  return { #moved_keys, 0 }
end
local next_due = redis.call("ZRANGE", due_key, 0, 0, "WITHSCORES")[2]
if not next_due then
  return { #moved_keys, -1 }
end
return { #moved_keys, math.max(0, tonumber(next_due) - now) }
