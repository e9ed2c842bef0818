-- Put names into their places of an order, unless a newer version of a name is there.
-- KEYS[1] hash: member -> "version|key"; the key is empty for a member that has left
-- KEYS[2] zset: "key NUL member", which the server sorts by bytes; all scores are 0
-- KEYS[3] zset: member -> its place, a whole number; the places are in the order of the keys
-- ARGV[1..] member, version and key of each; with an empty key it leaves
-- Returns how many names came, moved or left.
local records, sorted, places = KEYS[1], KEYS[2], KEYS[3]
-- A double holds every whole number up to here.
local LIMIT = 2 ^ 53
-- Names that come last or first leave so much room; names that make room leave at least so much.
local STEP = 2 ^ 32
local MIN_GAP = 256

local function place_at(rank)
  return tonumber(redis.call("ZRANGE", places, rank, rank, "WITHSCORES")[2])
end

-- Spread the names around a rank, as many as it takes until they have room.
local function make_room(rank)
  local count = redis.call("ZCARD", places)
  local width = 16
  local gap = 0
  local low, first
  while gap < MIN_GAP do
    width = width * 2
    first = math.max(0, rank - width)
    local past = math.min(count, rank + width)
    low = first > 0 and place_at(first - 1) or 0
    local high = past < count and place_at(past) or LIMIT
    gap = math.floor((high - low) / (past - first + 1))
  end
  local members = redis.call("ZRANGE", places, first, rank + width - 1)
  for step, member in ipairs(members) do
    redis.call("ZADD", places, low + step * gap, member)
  end
end

-- A free place between the neighbours of a rank; nil when there is none.
local function find_place(rank)
  local before = rank > 0 and place_at(rank - 1)
  local after = place_at(rank)
  if before and after then
    return after - before > 1 and before + math.floor((after - before) / 2)
  end
  local place = before and before + STEP or after and after - STEP or LIMIT / 2
  return place > 0 and place < LIMIT and place
end

local function enter(member, key)
  local entry = key .. "\0" .. member
  redis.call("ZADD", sorted, 0, entry)
  local rank = redis.call("ZRANK", sorted, entry)
  local place = find_place(rank)
  if not place then
    make_room(rank)
    place = find_place(rank)
  end
  redis.call("ZADD", places, place, member)
end

local function put(member, version, key)
  local record = redis.call("HGET", records, member) or "0|"
  local old_version, old_key = string.match(record, "^(%d+)|(.*)$")
  if tonumber(old_version) > tonumber(version) then
    return 0
  end
  redis.call("HSET", records, member, version .. "|" .. key)
  if old_key == key then
    return 0
  end
  if old_key ~= "" then
    redis.call("ZREM", sorted, old_key .. "\0" .. member)
    redis.call("ZREM", places, member)
  end
  if key ~= "" then
    enter(member, key)
  end
  return 1
end

local moved = 0
for at = 1, #ARGV, 3 do
  moved = moved + put(ARGV[at], ARGV[at + 1], ARGV[at + 2])
end
return moved
