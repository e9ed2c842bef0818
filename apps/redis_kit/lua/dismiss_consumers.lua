-- Remove idle consumers that own no pending entries: removing one that does would lose them.
-- KEYS[1] stream
-- ARGV[1] consumer group
-- ARGV[2] name of the consumer, or "" for every one
-- ARGV[3] how long it must have been idle, in milliseconds
-- Returns how many were removed.
local stream, group, name, idle_ms = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])

-- 1. Without the stream or the group there is no consumer.
local consumers = redis.pcall("XINFO", "CONSUMERS", stream, group)
if consumers.err then
  return 0
end

-- 2. XINFO gives each consumer as a flat list of names and values.
local removed = 0
for _, flat in ipairs(consumers) do
  local consumer = {}
  for index = 1, #flat, 2 do
    consumer[flat[index]] = flat[index + 1]
  end
  local matches = name == "" or consumer.name == name
  if matches and consumer.pending == 0 and consumer.idle >= idle_ms then
    redis.call("XGROUP", "DELCONSUMER", stream, group, consumer.name)
    removed = removed + 1
  end
end
return removed
