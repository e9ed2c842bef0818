-- The nearest shops past a cursor, by distance then id; looks in a small circle first and widens it.
-- KEYS[1] zset: GEO index, members are shop ids
-- KEYS[2] string: present when the index is complete
-- ARGV[1] longitude of the point, degrees
-- ARGV[2] latitude of the point, degrees
-- ARGV[3] largest distance, metres
-- ARGV[4] shops wanted
-- ARGV[5] cursor: distance of the last shop shown, metres, -1 at the start
-- ARGV[6] cursor: its id
-- ARGV[7..] nothing, or a box: south, west, north, east, degrees
-- Returns {shop id, distance in metres, ...} flat, or false when the index is not complete.
local START, MARGIN, LEAST, MOST = 50, 1.3, 1.2, 2
local limit, wanted = tonumber(ARGV[3]), tonumber(ARGV[4])
local past, past_id = tonumber(ARGV[5]), tonumber(ARGV[6])
local south, west, north, east = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])

if redis.call("EXISTS", KEYS[2]) == 0 then
  return false
end

local function search(radius)
  local circle = { "GEOSEARCH", KEYS[1], "FROMLONLAT", ARGV[1], ARGV[2], "BYRADIUS", radius, "m", "WITHDIST" }
  circle[#circle + 1] = south and "WITHCOORD"
  local rows, earlier = {}, 0
  for _, hit in ipairs(redis.call(unpack(circle))) do
    local id, distance, place = tonumber(hit[1]), tonumber(hit[2]), hit[3]
    local lng, lat = place and tonumber(place[1]), place and tonumber(place[2])
    if not south or (lat >= south and lat <= north and lng >= west and lng <= east) then
      if distance < past or (distance == past and id <= past_id) then
        earlier = earlier + 1
      else
        rows[#rows + 1] = { distance, id, hit }
      end
    end
  end
  return rows, earlier
end

local radius = math.min(limit, math.max(START, past * 1.05))
local rows, earlier = search(radius)
while #rows < wanted and radius < limit do
  -- As many shops as are wanted are in a circle of about this size, if they lie as densely out there.
  local guess = math.sqrt(MARGIN * (earlier + wanted) / math.max(1, earlier + #rows))
  radius = math.min(limit, radius * math.max(LEAST, math.min(MOST, guess)))
  rows, earlier = search(radius)
end
table.sort(rows, function(a, b)
  return a[1] < b[1] or (a[1] == b[1] and a[2] < b[2])
end)
local found = {}
for place = 1, math.min(wanted, #rows) do
  found[2 * place - 1], found[2 * place] = rows[place][3][1], rows[place][3][2]
end
return found
