-- Find the next shops of a list around a point, opening quarters of the map nearest first.
-- KEYS[1] zset: GEO index of shop ids; a score is 52 bits of longitude and latitude in turn
-- KEYS[2] hash: shop id -> facts, as geo_index.encode_facts writes them
-- KEYS[3] string: present when the index is complete
-- ARGV[1] longitude of the point, degrees
-- ARGV[2] latitude of the point, degrees
-- ARGV[3] largest distance, metres
-- ARGV[4] number of shops wanted
-- ARGV[5] what the list is sorted by: 0 for metres, else the position of that fact in KEYS[2]
-- ARGV[6] 1 smallest first, -1 largest first; sort values and ids (ARGV, answer) are times this
-- ARGV[7] sort value after which the list goes on
-- ARGV[8] shop id after which it goes on
-- ARGV[9] number of shops after whose comparison a list by a fact ends, incomplete
-- ARGV[10] number of shops after whose reading the search ends, with few that pass the filters
-- ARGV[11] JSON of the filters, "{}" for none: areas {folded name: true}, prices "from-to,..." in
-- fen, moments {city id: minute, today, yesterday} at which shops are open (shop_hours.encode), now
-- in seconds for those with a voucher
-- ARGV[12..] nothing, or a box: south, west, north, east, degrees
-- Returns JSON {shops = [[sort value, shop id], ...] in order, frontier}: metres up to which all
-- shops were read, if so many ended the search, else -1; false: index incomplete.
local lng, lat, limit, wanted, fact, direction = tonumber(ARGV[1]), tonumber(ARGV[2]),
  tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local start, left_to_compare, left_to_read = { tonumber(ARGV[7]), tonumber(ARGV[8]) },
  tonumber(ARGV[9]), tonumber(ARGV[10])
local filters = ARGV[11] ~= "{}" and cjson.decode(ARGV[11])
local south, west, north, east = tonumber(ARGV[12] or -90), tonumber(ARGV[13] or -180),
  tonumber(ARGV[14] or 90), tonumber(ARGV[15] or 180)
if redis.call("EXISTS", KEYS[3]) == 0 then
  return false
end

-- Distances use the Earth's radius of Redis; SLACK metres absorb the rounding of cell edges.
local max, min, rad, cos = math.max, math.min, math.rad, math.cos
local DIAMETER, SLACK = 2 * 6372797.560856, 0.1
-- A cell wider than the circle is split unread; one that can't be split gives MAX_IN_CELL shops.
-- 2^34 scores are 78 km, more than the circles that people ask for; map windows may be wider.
local unread_size = 2 ^ 34 * max(1, limit / 50000) ^ 2
local MAX_IN_CELL = 4000
local by_distance = fact == 0
local leaf_shops, already_listed = by_distance and 12 or math.ceil(left_to_compare / 8),
  by_distance and start[1] or 0
local cos_lat, tan_lat = cos(rad(lat)), math.tan(rad(lat))

local function haversine(degrees)
  return math.sin(rad(degrees) / 2) ^ 2
end

local function metres(latitude, aside)
  local chord = haversine(latitude - lat) + cos_lat * cos(rad(latitude)) * haversine(aside)
  return DIAMETER * math.asin(min(1, chord ^ 0.5))
end

local function farthest(low_lat, high_lat, aside)
  local at_edges = max(metres(low_lat, aside), metres(high_lat, aside)) + SLACK
  return aside < 90 and at_edges or DIAMETER * math.pi / 2
end

-- Cells wait in `cells`, the nearest last; `aside` is degrees of longitude between cell and point.
-- `best` holds the first `wanted` shops in order; a full list by distance shrinks the limit.
local cells, best = {}, {}

local function add_cell(score, size, s, n, w, e)
  local aside = max(0, min(max(w - lng, lng - e), w - lng + 360, lng - e + 360))
  -- Along a meridian the nearest point lies towards the pole; on the globe's other side, at an end.
  local nearest_lat = lat
  if aside >= 90 then
    nearest_lat = metres(s, aside) < metres(n, aside) and s or n
  elseif aside > 0 then
    nearest_lat = math.deg(math.atan(tan_lat / cos(rad(aside))))
  end
  local near = metres(max(s, min(n, nearest_lat)), aside) - SLACK
  local wide = min(180, max(lng - w, e - lng))
  local is_outside = n < south or s > north or e < west or w > east
  if near > limit or is_outside or already_listed > 0 and farthest(s, n, wide) < already_listed then
    return
  end
  local position = #cells + 1
  while position > 1 and cells[position - 1].near < near do
    position = position - 1
  end
  local cell = { near = near, wide = wide, score = score, size = size, s = s, n = n, w = w, e = e }
  table.insert(cells, position, cell)
end

local function split_cell(cell)
  local middle_lat, middle_lng = (cell.s + cell.n) / 2, (cell.w + cell.e) / 2
  local quarter = cell.size / 4
  add_cell(cell.score, quarter, cell.s, middle_lat, cell.w, middle_lng)
  add_cell(cell.score + quarter, quarter, middle_lat, cell.n, cell.w, middle_lng)
  add_cell(cell.score + 2 * quarter, quarter, cell.s, middle_lat, middle_lng, cell.e)
  add_cell(cell.score + 3 * quarter, quarter, middle_lat, cell.n, middle_lng, cell.e)
end

-- Spans are text: "660-840,1020-1350".
local function in_spans(spans, value)
  for first, last in string.gmatch(spans, "(%d+)-(%d+)") do
    if tonumber(first) <= value and value < tonumber(last) then
      return true
    end
  end
end

-- Spans that begin on a day: of an exception, else of a public holiday, else of the weekday.
local function spans_on(code, day)
  for first, last, spans in string.gmatch(code, "x(%d+)%-(%d+)=([%d,%-]*)") do
    if tonumber(first) <= day.number and day.number <= tonumber(last) then
      return spans
    end
  end
  return day.is_holiday and string.match(code, ";h=([%d,%-]*)")
    or string.match(code, "w%d*" .. day.weekday .. "%d*=([%d,%-]*)")
    or ""
end

local FILTERED = "^%d+:%d+:(%d+):[^:]+:[^:]+:([^:|]*)|([^:]*):(%d+):([^:]*):%d+:%d+$"
local function passes(facts)
  local price, english, chinese, ends, hours = string.match(facts or "", FILTERED)
  local is_there = not filters.areas or filters.areas[english] or filters.areas[chinese]
  local moment = hours
    and filters.moments
    and (filters.moments[string.match(hours, "^%d+") or ""] or filters.moments["0"])
  local is_open = not moment
    or in_spans(spans_on(hours, moment.today), moment.minute)
    or in_spans(spans_on(hours, moment.yesterday), moment.minute + 1440)
  local is_priced = not filters.prices or in_spans(filters.prices, tonumber(price or -1))
  return is_there and is_open and is_priced and tonumber(ends or 0) > (filters.now or -1)
end

local function comes_before(one, other)
  return one[1] < other[1] or one[1] == other[1] and one[2] < other[2]
end

local function offer_shop(id, facts, is_inside)
  local fields = { string.match(facts or "", "^(%d+):(%d+):(%d+):([^:]+):([^:]+)") }
  local shop_lat, shop_lng = tonumber(fields[4]), tonumber(fields[5])
  if not shop_lat or shop_lat < south or shop_lat > north or shop_lng < west or shop_lng > east then
    return
  end
  -- Redis answers distances in steps of 0.1 mm.
  local away = is_inside and 0
    or math.floor(metres(shop_lat, shop_lng - lng) * 10000 + 0.5) / 10000
  local shop = { by_distance and away or direction * fields[fact], direction * id }
  if away > limit or not comes_before(start, shop) then
    return
  end
  local position = #best + 1
  while position > 1 and comes_before(shop, best[position - 1]) do
    position = position - 1
  end
  table.insert(best, position, shop)
  best[wanted + 1] = nil
  if by_distance and best[wanted] then
    limit = best[wanted][1]
  end
end

-- Every shop of a cell that lies inside counts as compared, so a list by a fact ends early.
local function read_cell(cell, ids)
  local in_box = cell.s >= south and cell.n <= north and cell.w >= west and cell.e <= east
  local is_inside = not by_distance and in_box and farthest(cell.s, cell.n, cell.wide) <= limit
  left_to_read = left_to_read - #ids
  for position, facts in ipairs(redis.call("HMGET", KEYS[2], unpack(ids))) do
    if not filters or passes(facts) then
      left_to_compare = left_to_compare - (is_inside and 1 or 0)
      offer_shop(ids[position], facts, is_inside)
    end
  end
end

-- Open the nearest cell until nothing nearer is left, or enough shops were compared or read.
add_cell(0, 2 ^ 52, -85.05112878, 85.05112878, -180, 180)
while #cells > 0 and cells[#cells].near <= limit and left_to_compare > 0 and left_to_read > 0 do
  local cell = table.remove(cells)
  local last = cell.score + cell.size - 1
  local most = cell.size > 1 and leaf_shops or MAX_IN_CELL
  local is_unread = cell.size >= unread_size
  local ids = is_unread and {}
    or redis.call("ZRANGEBYSCORE", KEYS[1], cell.score, last, "LIMIT", 0, most + 1)
  if is_unread or cell.size > 1 and #ids > leaf_shops then
    split_cell(cell)
  elseif #ids > 0 then
    read_cell(cell, ids)
  end
end

local is_cut = #cells > 0 and cells[#cells].near <= limit
return cjson.encode({ shops = best, frontier = is_cut and max(0, cells[#cells].near) or -1 })
