-- A handed job was finished: forget it, unless its key is another job's by now.
-- KEYS[1] hash: job key -> its message, which begins with the place of its queue and the id of its task
-- ARGV[1] job key
-- ARGV[2] task id
-- Returns 1, or 0 when it was another's.
local job = redis.call("HGET", KEYS[1], ARGV[1])
if not job or string.sub(job, 18, 53) ~= ARGV[2] then
  return 0
end
return redis.call("HDEL", KEYS[1], ARGV[1])
