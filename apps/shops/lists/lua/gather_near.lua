-- The next shops of a list around a point, by opening quarters of the map: the nearest first.
-- KEYS[1] zset: GEO index, members are shop ids; a score is 52 bits of longitude and latitude in turn
-- KEYS[2] hash: shop id -> facts, as in place_shop.lua
-- KEYS[3] string: present when the index is complete
-- ARGV[1] longitude of the point, degrees
-- ARGV[2] latitude of the point, degrees
-- ARGV[3] largest distance, metres
-- ARGV[4] shops wanted
-- ARGV[5] what the list is sorted by: 0 for metres, else the place of that fact in KEYS[2]
-- ARGV[6] 1 smallest first, -1 largest first: every sort value and id below, and in the answer, is times this
-- ARGV[7] sort value after which the list goes on
-- ARGV[8] shop id after which it goes on
-- ARGV[9] shops that a list by a fact compares, at least
-- ARGV[10..] nothing, or a box: south, west, north, east, degrees
-- Returns JSON [[sort value, shop id], ...] in order; false: index incomplete.
local lng, lat, limit, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local fact, way, start = tonumber(ARGV[5]), tonumber(ARGV[6]), { tonumber(ARGV[7]), tonumber(ARGV[8]) }
local south, west, left = tonumber(ARGV[10] or -90), tonumber(ARGV[11] or -180), tonumber(ARGV[9])
local north, east, leaf = tonumber(ARGV[12] or 90), tonumber(ARGV[13] or 180), fact == 0 and 12 or math.ceil(left / 8)
if redis.call("EXISTS", KEYS[3]) == 0 then return false end
local max, min, rad, cos, cells, best, past = math.max, math.min, math.rad, math.cos, {}, {}, fact == 0 and start[1] or 0
local WORLD, MOST, VAST, SLACK, flat, steep = 2 * 6372797.560856, 4000, 2 ^ 34, 0.1, cos(rad(lat)), math.tan(rad(lat))
local function hav(angle) return math.sin(rad(angle) / 2) ^ 2 end
local function metres(y, aside) return WORLD * math.asin(min(1, (hav(y - lat) + flat * cos(rad(y)) * hav(aside)) ^ 0.5)) end
local function far(s, n, aside) return max(metres(s, aside), metres(n, aside)) + SLACK end
local function add(low, size, s, n, w, e)
  local aside, spot = max(0, min(max(w - lng, lng - e), w - lng + 360, lng - e + 360)), #cells + 1
  -- Along a meridian the nearest point lies a little towards the pole.
  local pole = aside > 0 and aside < 90 and math.deg(math.atan(steep / cos(rad(aside)))) or lat
  local near, wide = metres(max(s, min(n, pole)), aside) - SLACK, min(180, max(lng - w, e - lng))
  if near > limit or n < south or s > north or e < west or w > east or past > 0 and far(s, n, wide) < past then return end
  while spot > 1 and cells[spot - 1][1] < near do spot = spot - 1 end
  table.insert(cells, spot, { near, wide, low, size, s, n, w, e })
end
local function earlier(one, two) return one[1] < two[1] or one[1] == two[1] and one[2] < two[2] end
local function offer(id, facts, inside)
  local parts, spot = { string.match(facts or "", "^(%d+):(%d+):(%d+):([^:]+):([^:]+)") }, #best + 1
  local y, x = tonumber(parts[4]), tonumber(parts[5])
  local away = y and not inside and math.floor(metres(y, x - lng) * 10000 + 0.5) / 10000 or 0
  local shop = { fact == 0 and away or way * (parts[fact] or 0), way * id }
  if not y or y < south or y > north or x < west or x > east or away > limit or not earlier(start, shop) then return end
  while spot > 1 and earlier(shop, best[spot - 1]) do spot = spot - 1 end
  table.insert(best, spot, shop)
  best[wanted + 1], limit = nil, fact == 0 and best[wanted] and best[wanted][1] or limit
end
add(0, 2 ^ 52, -85.05112878, 85.05112878, -180, 180)
while #cells > 0 and cells[#cells][1] <= limit and left > 0 do
  local _, wide, low, size, s, n, w, e = unpack(table.remove(cells))
  local most, y, x, part = size > 1 and leaf or MOST, (s + n) / 2, (w + e) / 2, size / 4
  local ids = size < VAST and redis.call("ZRANGEBYSCORE", KEYS[1], low, low + size - 1, "LIMIT", 0, most + 1) or {}
  if size >= VAST or size > 1 and #ids > leaf then
    add(low, part, s, y, w, x) add(low + part, part, y, n, w, x)
    add(low + 2 * part, part, s, y, x, e) add(low + 3 * part, part, y, n, x, e)
  elseif #ids > 0 then
    local inside = fact > 0 and s >= south and n <= north and w >= west and e <= east and far(s, n, wide) <= limit
    for at, facts in ipairs(redis.call("HMGET", KEYS[2], unpack(ids))) do offer(ids[at], facts, inside) end
    left = left - (inside and #ids or 0)
  end
end
return cjson.encode(best)
