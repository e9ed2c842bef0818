-- Raise numbers of a hash to at least those that SQL has; larger ones stay.
-- KEYS[1] hash: counts
-- ARGV[1] seconds that the hash lives, 0 for good
-- ARGV[2..] field and number, in turn
-- Returns how many were raised.
local counts_key, ttl = KEYS[1], tonumber(ARGV[1])
local raised = 0
for index = 2, #ARGV, 2 do
  local field, number = ARGV[index], ARGV[index + 1]
  if tonumber(redis.call("HGET", counts_key, field) or 0) < tonumber(number) then
    redis.call("HSET", counts_key, field, number)
    raised = raised + 1
  end
end
if ttl > 0 and raised > 0 then
  redis.call("EXPIRE", counts_key, ttl)
end
return raised
