-- A handed job was finished: forget it, unless its key is another job's by now.
-- KEYS[1] zset: handed job keys
-- KEYS[2] hash: job key -> place of its queue, task id (36 characters), ":" and the message
-- ARGV[1] job key
-- ARGV[2] task id
-- Returns 1, or 0 when it was another's.
local job = redis.call("HGET", KEYS[2], ARGV[1])
if not job or string.sub(job, 2, 37) ~= ARGV[2] then
  return 0
end
redis.call("ZREM", KEYS[1], ARGV[1])
return redis.call("HDEL", KEYS[2], ARGV[1])
