-- Forget a delayed job whose run is over, unless a newer job has taken its key.
-- KEYS[1] hash: job key -> "<queue number> <task id> <message>"
-- ARGV[1] job key
-- ARGV[2] task id of the run that is over
-- Returns 1, or 0 when the key is free or a newer job's.
local jobs_key = KEYS[1]
local job_key = ARGV[1]
local finished_id = ARGV[2]

local job = redis.call("HGET", jobs_key, job_key)
local task_id = job and string.match(job, "^%d+ (%S+) ")
if task_id ~= finished_id then
  return 0
end
return redis.call("HDEL", jobs_key, job_key)
