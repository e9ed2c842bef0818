-- Free the blocks that every living analyser is past; one that is silent for long is given up.
-- KEYS[1] stream: blocks
-- KEYS[2] hash: state of the stream
-- ARGV[1] milliseconds of silence after which an analyser is given up, 0 for never
-- Returns how many blocks were freed.
local stream, state, patience = KEYS[1], KEYS[2], tonumber(ARGV[1])
local time = redis.call("TIME")
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)

-- 1. Without the stream there is nothing to free.
local groups = redis.pcall("XINFO", "GROUPS", stream)
if groups.err then
  return 0
end

-- 2. The slowest analyser; XINFO gives each group as a flat list of names and values.
local slowest_ms, slowest_seq
for _, flat in ipairs(groups) do
  local group = {}
  for index = 1, #flat, 2 do
    group[flat[index]] = flat[index + 1]
  end
  local seen_ms = tonumber(redis.call("HGET", state, "seen:" .. group.name) or now_ms)
  if patience > 0 and now_ms - seen_ms > patience then
    redis.call("XGROUP", "DESTROY", stream, group.name)
    redis.call("HDEL", state, "seen:" .. group.name)
    redis.call("HINCRBY", state, "given-up:" .. group.name, 1)
  else
    local ms, seq = string.match(group["last-delivered-id"], "(%d+)-(%d+)")
    ms, seq = tonumber(ms), tonumber(seq)
    if not slowest_ms or ms < slowest_ms or (ms == slowest_ms and seq < slowest_seq) then
      slowest_ms, slowest_seq = ms, seq
    end
  end
end
if not slowest_ms then
  return 0
end

-- 3. Without memory the bytes are not written; the next call does it.
local first_kept = string.format("%d-%d", slowest_ms, slowest_seq + 1)
local freed = redis.call("XTRIM", stream, "MINID", first_kept)
if freed > 0 then
  local first = redis.call("XRANGE", stream, "-", "+", "COUNT", 1)[1]
  local before = redis.call("HGET", state, "stored")
  for index = 1, first and #first[2] or 0, 2 do
    if first[2][index] == "before" then
      before = first[2][index + 1]
    end
  end
  redis.pcall("HSET", state, "freed", before)
end
return freed
