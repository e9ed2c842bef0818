-- The best shops past a cursor among the nearest ones; a circle is widened until it holds enough of them.
-- KEYS[1] zset: GEO index, members are shop ids
-- KEYS[2] hash: shop id -> "rating:popularity:price:type:version"
-- KEYS[3] string: present when the index is complete
-- ARGV[1] longitude of the point, degrees
-- ARGV[2] latitude of the point, degrees
-- ARGV[3] largest distance, metres
-- ARGV[4] shops wanted
-- ARGV[5] reach: how many of the nearest are compared
-- ARGV[6] place of the fact to sort by: 0 rating, 1 popularity, 2 price
-- ARGV[7] 1 smallest first, -1 largest first; equal facts go by id the same way
-- ARGV[8] cursor: fact of the last shop shown, or "" at the start
-- ARGV[9] cursor: its id
-- ARGV[10..] nothing, or a box: south, west, north, east, degrees
-- Returns {shop id, fact, ...} flat, or false when the index is not complete.
local START, MARGIN, LEAST, MOST = 200, 1.3, 1.2, 2
local limit, wanted, reach, way = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[7])
local pattern = "^" .. string.rep("%d+:", ARGV[6]) .. "(%d+)"
local past, past_id = tonumber(ARGV[8]), tonumber(ARGV[9])
local south, west, north, east = tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12]), tonumber(ARGV[13])
if redis.call("EXISTS", KEYS[3]) == 0 then
  return false
end
local function nearest(radius)
  local circle = { "GEOSEARCH", KEYS[1], "FROMLONLAT", ARGV[1], ARGV[2], "BYRADIUS", radius, "m", "ASC" }
  if not south then
    circle[10], circle[11] = "COUNT", reach
    return redis.call(unpack(circle))
  end
  circle[10] = "WITHCOORD"
  local ids = {}
  for _, hit in ipairs(redis.call(unpack(circle))) do
    local lng, lat = tonumber(hit[2][1]), tonumber(hit[2][2])
    if #ids < reach and lat >= south and lat <= north and lng >= west and lng <= east then
      ids[#ids + 1] = hit[1]
    end
  end
  return ids
end
local radius, ids = START / MOST, {}
repeat
  local guess = math.sqrt(MARGIN * reach / math.max(1, #ids))
  radius = math.min(limit, radius * math.max(LEAST, math.min(MOST, guess)))
  ids = nearest(radius)
until #ids >= reach or radius >= limit
local rows, facts = {}, #ids > 0 and redis.call("HMGET", KEYS[2], unpack(ids)) or {}
for place, id in ipairs(ids) do
  local fact, number = way * (string.match(facts[place] or "", pattern) or 0), way * id
  if not past or fact > way * past or (fact == way * past and number > way * past_id) then
    rows[#rows + 1] = { fact, number }
  end
end
table.sort(rows, function(a, b)
  return a[1] < b[1] or (a[1] == b[1] and a[2] < b[2])
end)
local found = {}
for place = 1, math.min(wanted, #rows) do
  found[2 * place - 1], found[2 * place] = way * rows[place][2], way * rows[place][1]
end
return found
