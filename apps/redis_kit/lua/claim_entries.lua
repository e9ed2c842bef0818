-- Take over unfinished entries, and let go of those that somebody deleted before they were finished.
-- KEYS[1] stream
-- ARGV[1] consumer group
-- ARGV[2] consumer that takes over
-- ARGV[3] how long they must have been idle, in milliseconds
-- ARGV[4..] entry ids
-- Returns {entries as XCLAIM gives them, ids that were deleted}.
local stream, group, consumer, idle_ms = KEYS[1], ARGV[1], ARGV[2], ARGV[3]

local there, deleted = {}, {}
for place = 4, #ARGV do
  local id = ARGV[place]
  if redis.call("XRANGE", stream, id, id)[1] then
    there[#there + 1] = id
  elseif redis.call("XACK", stream, group, id) == 1 then
    deleted[#deleted + 1] = id
  end
end
if #there == 0 then
  return { {}, deleted }
end
return { redis.call("XCLAIM", stream, group, consumer, idle_ms, unpack(there)), deleted }
