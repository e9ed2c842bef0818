-- Tell that an analyser lives and which blocks it has done; free those that all have done.
-- KEYS[1] stream: blocks
-- KEYS[2] hash: state of the stream
-- ARGV[1] analyser, the name of its group
-- ARGV[2] id of the newest block that it has done, "0-0" for none
-- Returns the id of the newest block that its group has done.
local stream, state, name, done = KEYS[1], KEYS[2], ARGV[1], ARGV[2]

-- 1. The group's position; a new group begins at the oldest block.
local position
local groups = redis.pcall("XINFO", "GROUPS", stream)
for _, flat in ipairs(groups.err and {} or groups) do
  local group = {}
  for index = 1, #flat, 2 do
    group[flat[index]] = flat[index + 1]
  end
  if group.name == name then
    position = group["last-delivered-id"]
  end
end
if not position then
  redis.call("XGROUP", "CREATE", stream, name, "0", "MKSTREAM")
  position = "0-0"
end

-- 2. Another process of the same analyser may be further: a position never goes back.
local ms, seq = string.match(position, "(%d+)-(%d+)")
local done_ms, done_seq = string.match(done, "(%d+)-(%d+)")
ms, seq, done_ms, done_seq = tonumber(ms), tonumber(seq), tonumber(done_ms), tonumber(done_seq)
if done_ms > ms or (done_ms == ms and done_seq > seq) then
  redis.call("XGROUP", "SETID", stream, name, done)
  position = done
end

-- 3. Freeing needs no memory; telling of it does, and waits where there is none.
free_blocks({ stream, state }, { "0" })
local time = redis.call("TIME")
redis.pcall("HSET", state, "seen:" .. name, time[1] * 1000 + math.floor(time[2] / 1000))
return position
