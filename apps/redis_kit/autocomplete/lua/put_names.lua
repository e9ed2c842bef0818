-- Put names into an index in place of the ones that each id had, unless a later reader did so.
-- KEYS[1] hash: id -> "reading number|band|spelling NUL spelling NUL …"
-- KEYS[2..] zset: names of one band of popularity, the most popular first; all scores are 0
-- ARGV[1] reading number: that of the moment before the names were read
-- ARGV[2] most bytes of a part of a name
-- ARGV[3..] id, band (from 1; 0 = no longer there) and spellings of each; 2 stands before each part
-- Returns how many ids were written.
local records = KEYS[1]
local reading, max_part = tonumber(ARGV[1]), tonumber(ARGV[2])

-- A spelling is found by its beginning ("0"), and by the beginning of each part ("1").
local function members(id, spellings)
  local found = {}
  for spelling in string.gmatch(spellings, "[^%z]+") do
    local whole = string.gsub(spelling, "\2", "")
    table.insert(found, "0" .. whole .. "\0" .. id)
    local mark = string.find(spelling, "\2", 1, true)
    while mark do
      local rest = string.sub(spelling, mark + 1, mark + 2 * max_part)
      local part = string.sub(string.gsub(rest, "\2", ""), 1, max_part)
      table.insert(found, "1" .. part .. "\0" .. id)
      mark = string.find(spelling, "\2", mark + 1, true)
    end
  end
  return found
end

local function remove(id, band, spellings)
  if band > 0 then
    for _, member in ipairs(members(id, spellings)) do
      redis.call("ZREM", KEYS[1 + band], member)
    end
  end
end

local function add(id, band, spellings)
  if band > 0 then
    for _, member in ipairs(members(id, spellings)) do
      redis.call("ZADD", KEYS[1 + band], 0, member)
    end
  end
end

-- An id that is gone keeps its reading number: no slower reader brings the old name back.
local function put(id, band, spellings)
  local record = redis.call("HGET", records, id) or "0|0|"
  local pattern = "^(%d+)|(%d+)|(.*)$"
  local old_reading, old_band, old_spellings = string.match(record, pattern)
  if tonumber(old_reading) > reading then
    return 0
  end
  if tonumber(old_band) ~= band or old_spellings ~= spellings then
    remove(id, tonumber(old_band), old_spellings)
    add(id, band, spellings)
  end
  redis.call("HSET", records, id, reading .. "|" .. band .. "|" .. spellings)
  return 1
end

local written = 0
for place = 3, #ARGV, 3 do
  written = written + put(ARGV[place], tonumber(ARGV[place + 1]), ARGV[place + 2])
end
return written
