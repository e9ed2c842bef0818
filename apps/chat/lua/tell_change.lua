-- Tell the open streams of a chat a change that is no message, such as a deleted one.
-- KEYS[1] stream: recent messages of the chat, with their numbers as ids
-- ARGV[1] channel on which the processes listen
-- ARGV[2] most messages that are kept
-- ARGV[3] lifetime of the stream after a message, in seconds
-- ARGV[4] the change, as JSON
-- Returns 1 kept for those who come back, 0 told only to those who are there.
local events_key = KEYS[1]
local channel = ARGV[1]
local max_events = ARGV[2]
local lifetime = ARGV[3]
local data = ARGV[4]
local now = redis.call("TIME")
local at = string.format("%d%06d", now[1], now[2])

-- 1. Without the number of the last message the change has no place in the stream.
local newest = redis.call("XREVRANGE", events_key, "+", "-", "COUNT", 1)
if not newest[1] then
  redis.call("PUBLISH", channel, "0-0 " .. at .. " chat " .. data)
  return 0
end

-- 2. Its id follows that of the last message and stands before that of the next one.
local id = string.match(newest[1][1], "^%d+") .. "-*"
local fields = {"event", "chat", "data", data, "at", at}
id = redis.call("XADD", events_key, "MAXLEN", max_events, id, unpack(fields))
redis.call("PUBLISH", channel, id .. " " .. at .. " chat " .. data)
redis.call("EXPIRE", events_key, lifetime)
return 1
