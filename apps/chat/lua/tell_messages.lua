-- Tell the open streams of a chat its messages in the order of their numbers, each once.
-- KEYS[1] stream: recent messages of the chat, with their numbers as ids
-- ARGV[1] channel on which the processes listen
-- ARGV[2] most messages that are kept
-- ARGV[3] lifetime of the stream after a message, in seconds
-- ARGV[4] 1 when every message before the first of these has been told, 0 when that is not known
-- ARGV[5..] pairs: number of a message, and what is told of it, as JSON; numbers are dense
-- Returns {0, 0} told, {1, 0} told already, {2, number} the messages after it must be told as well.
local events_key = KEYS[1]
local channel = ARGV[1]
local max_events = ARGV[2]
local lifetime = ARGV[3]
local is_complete = ARGV[4] == "1"
local TOLD = 0
local TOLD_ALREADY = 1
local INCOMPLETE = 2

-- 1. The number of the last message that was told; a change after it has an id such as 7-1.
local newest = redis.call("XREVRANGE", events_key, "+", "-", "COUNT", 1)
local last = 0
if newest[1] then
  last = tonumber(string.match(newest[1][1], "^%d+"))
end
if tonumber(ARGV[#ARGV - 1]) <= last then
  return {TOLD_ALREADY, 0}
end
if tonumber(ARGV[5]) > last + 1 and not is_complete then
  return {INCOMPLETE, last}
end

-- 2. Two senders overtake each other between SQL and here: who comes later finds its message told.
local now = redis.call("TIME")
local at = string.format("%d%06d", now[1], now[2])
for index = 5, #ARGV, 2 do
  local number = ARGV[index]
  local data = ARGV[index + 1]
  if tonumber(number) > last then
    local id = number .. "-0"
    local fields = {"event", "chat", "data", data, "at", at}
    redis.call("XADD", events_key, "MAXLEN", max_events, id, unpack(fields))
    redis.call("PUBLISH", channel, id .. " " .. at .. " chat " .. data)
  end
end
redis.call("EXPIRE", events_key, lifetime)
return {TOLD, 0}
