-- The shops near a point, by opening quarters of the map: the nearest first, empty ones never.
-- KEYS[1] zset: GEO index, members are shop ids; a score is 52 bits of longitude and latitude in turn
-- KEYS[2] hash: shop id -> facts, as in place_shop.lua
-- KEYS[3] string: present when the index is complete
-- ARGV[1] longitude of the point, degrees
-- ARGV[2] latitude of the point, degrees
-- ARGV[3] largest distance, metres
-- ARGV[4] shops wanted
-- ARGV[5] 1 when that many of the nearest must be among the answer, 0 when quarters of that many will do
-- ARGV[6] distance below which no shop is wanted, metres
-- ARGV[7..] nothing, or a box: south, west, north, east, degrees
-- Returns {shop id, facts, ...} flat, "?" before facts of shops that may lie outside; false: index incomplete.
local EARTH, EDGE, MOST, SLACK = 6372797.560856, 85.05112878, 4000, 0.1
local lng, lat, limit, past = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[6])
local wanted, exact = tonumber(ARGV[4]), ARGV[5] == "1"
local south, west, north, east = ARGV[7] or -90, ARGV[8] or -180, ARGV[9] or 90, ARGV[10] or 180
south, west, north, east = tonumber(south), tonumber(west), tonumber(north), tonumber(east)
if redis.call("EXISTS", KEYS[3]) == 0 then return false end
local max, min, abs, rad, cells, found, sure, counted = math.max, math.min, math.abs, math.rad, {}, {}, {}, 0
local function metres(to, aside)
  local up, over = math.sin(rad(to - lat) / 2), math.sin(rad(aside) / 2)
  return 2 * EARTH * math.asin(min(1, (up * up + math.cos(rad(lat)) * math.cos(rad(to)) * over * over) ^ 0.5))
end
local function add(low, size, s, n, w, e)
  local from, to = string.format("%.0f", low), string.format("(%.0f", low + size)
  local apart = n < south or s > north or e < west or w > east
  local count = apart and 0 or redis.call("ZCOUNT", KEYS[1], from, to)
  if count == 0 then return end
  local aside = max(0, min(max(w - lng, lng - e), w - lng + 360, lng - e + 360))
  -- Along a meridian the nearest point lies a little towards the pole.
  local pole = aside > 0 and aside < 90 and math.deg(math.atan(math.tan(rad(lat)) / math.cos(rad(aside)))) or lat
  local near = metres(max(s, min(n, pole)), aside) - SLACK
  local wide, place = min(180, max(abs(w - lng), abs(e - lng))), #cells + 1
  local far = near <= limit and max(metres(s, wide), metres(n, wide)) + SLACK or -2
  if far >= past then
    local inside = s >= south and n <= north and w >= west and e <= east and near > past and far <= limit
    while place > 1 and cells[place - 1][1] < near do place = place - 1 end
    table.insert(cells, place, { near, far, count, inside, low, size / 4, s, n, w, e, from, to })
  end
end
add(0, 2 ^ 52, -EDGE, EDGE, -180, 180)
while #cells > 0 and cells[#cells][1] <= limit and (exact or counted < wanted) do
  local _, far, count, inside, low, quarter, s, n, w, e, from, to = unpack(table.remove(cells))
  if count > max(16, wanted / 16) and quarter >= 1 then
    local y, x = (s + n) / 2, (w + e) / 2
    add(low, quarter, s, y, w, x) add(low + quarter, quarter, y, n, w, x)
    add(low + 2 * quarter, quarter, s, y, x, e) add(low + 3 * quarter, quarter, y, n, x, e)
  else
    local left, doubt = wanted, inside and "" or "?"
    local ids = redis.call("ZRANGEBYSCORE", KEYS[1], from, to, "LIMIT", 0, MOST)
    local facts = redis.call("HMGET", KEYS[2], unpack(ids))
    for place, id in ipairs(ids) do found[#found + 1], found[#found + 2] = id, doubt .. (facts[place] or "") end
    sure[#sure + 1], counted = { far, inside and count or 0 }, counted + (inside and count or 0)
    if exact and counted >= wanted then table.sort(sure, function(a, b) return a[1] < b[1] end) end
    for place = 1, exact and counted >= wanted and #sure or 0 do
      left, limit = left - sure[place][2], left <= sure[place][2] and min(limit, sure[place][1]) or limit
    end
  end
end
return found
