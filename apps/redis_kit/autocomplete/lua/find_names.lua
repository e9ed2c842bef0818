-- Find the names that are, begin with, or in a later part begin with what was typed.
-- KEYS[1] hash: the records; the field "complete" says that every name is in the index
-- KEYS[2..] zset: names of one band of popularity, the most popular first; all scores are 0
-- ARGV[1] what was typed, folded and escaped, not empty
-- ARGV[2] how many ids of each sort are enough
-- ARGV[3] most bytes of a part of a name
-- Returns three lists of ids: exact, beginning, containing; nil when the index is not complete.
local records, typed, wanted, max_part = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

if not redis.call("HGET", records, "complete") then
  return nil
end

local seen = {}
local function add(ids, members, first, last)
  for place = first, last do
    local member = members[place]
    local id = string.sub(member, string.find(member, "\0", #typed, true) + 1)
    if not seen[id] then
      seen[id] = true
      ids[#ids + 1] = id
    end
  end
end

local function range(band, low, high)
  return redis.call("ZRANGE", KEYS[band], "[" .. low, "(" .. high, "BYLEX", "LIMIT", 0, wanted)
end

-- No UTF-8 text has the byte 255, and 0 ends a name: exact names come first of those in range.
local exact, beginning, containing = {}, {}, {}
local whole, part = "0" .. typed, "1" .. string.sub(typed, 1, max_part)
for band = 2, #KEYS do
  if #beginning < wanted then
    local members = range(band, whole, whole .. "\255")
    local count = 0
    while members[count + 1] and string.byte(members[count + 1], #whole + 1) == 0 do
      count = count + 1
    end
    add(exact, members, 1, count)
    add(beginning, members, count + 1, #members)
  else
    local members = range(band, whole .. "\0", whole .. "\1")
    add(exact, members, 1, #members)
  end
end
for band = 2, #KEYS do
  if #exact + #beginning + #containing >= wanted then
    break
  end
  local members = range(band, part, part .. "\255")
  add(containing, members, 1, #members)
end
return { exact, beginning, containing }
