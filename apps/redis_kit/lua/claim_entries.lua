-- Take over unfinished entries of a stream, and acknowledge those that were deleted unfinished.
-- KEYS[1] stream
-- ARGV[1] consumer group
-- ARGV[2] consumer that takes over
-- ARGV[3] how long they must have been idle, in milliseconds
-- ARGV[4..] entry ids
-- Returns {entries as XCLAIM gives them, ids that were deleted}.
local stream, group, consumer, idle_ms = KEYS[1], ARGV[1], ARGV[2], ARGV[3]

-- 1. Split the ids: XCLAIM would drop a deleted entry without a word.
local existing, deleted = {}, {}
for index = 4, #ARGV do
  local id = ARGV[index]
  if redis.call("XRANGE", stream, id, id)[1] then
    existing[#existing + 1] = id
  elseif redis.call("XACK", stream, group, id) == 1 then
    deleted[#deleted + 1] = id
  end
end

-- 2. Claim what exists.
if #existing == 0 then
  return { {}, deleted }
end
return { redis.call("XCLAIM", stream, group, consumer, idle_ms, unpack(existing)), deleted }
