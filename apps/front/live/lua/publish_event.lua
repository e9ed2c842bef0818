-- Tell the open streams of a subject one event, and keep it for those who come back soon.
-- KEYS[1] stream: recent events of the subject
-- ARGV[1] channel on which the processes listen
-- ARGV[2] name of the event
-- ARGV[3] its data, as JSON
-- ARGV[4] most events that are kept
-- Returns how many processes were told.
local events_key = KEYS[1]
local channel = ARGV[1]
local event = ARGV[2]
local data = ARGV[3]
local max_events = ARGV[4]

-- 1. The position is the server's time in microseconds: it orders the events of all subjects.
local now = redis.call("TIME")
local at = string.format("%d%06d", now[1], now[2])
local id = at .. "-0"

-- 2. A stream is there while somebody listens or did so lately. No id is smaller than the last.
local newest = redis.call("XREVRANGE", events_key, "+", "-", "COUNT", 1)
if newest[1] then
  local newest_at = string.match(newest[1][1], "^%d+")
  if tonumber(newest_at) >= tonumber(at) then
    id = "*"
  end
  local fields = {"event", event, "data", data, "at", at}
  id = redis.call("XADD", events_key, "MAXLEN", max_events, id, unpack(fields))
end

-- 3. Who listens now.
return redis.call("PUBLISH", channel, id .. " " .. at .. " " .. event .. " " .. data)
