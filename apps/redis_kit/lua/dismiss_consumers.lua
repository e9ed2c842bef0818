-- Remove consumers that own nothing: dropping one with pending entries would lose them.
-- KEYS[1] stream
-- ARGV[1] consumer group
-- ARGV[2] name of the consumer, or "" for every one
-- ARGV[3] how long it must have been idle, in milliseconds
-- Returns how many were removed.
local stream, group, name, idle_ms = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])

local consumers = redis.pcall("XINFO", "CONSUMERS", stream, group)
if consumers.err then
  return 0
end
local removed = 0
for _, pairs_of in ipairs(consumers) do
  local consumer = {}
  for place = 1, #pairs_of, 2 do
    consumer[pairs_of[place]] = pairs_of[place + 1]
  end
  local meant = name == "" or consumer.name == name
  if meant and consumer.pending == 0 and consumer.idle >= idle_ms then
    redis.call("XGROUP", "DELCONSUMER", stream, group, consumer.name)
    removed = removed + 1
  end
end
return removed
