-- Look at a slice of a list, and keep the best of its documents that satisfy all conditions.
-- KEYS[1] zset: the best documents so far by score
-- KEYS[2] zset or set: the list that is walked
-- KEYS[3..] zset or set: the lists of the conditions, of the order, and the documents' places (GEO)
-- ARGV[1] conditions and order as JSON (list_walks._Plan); lists are numbers of KEYS
-- ARGV[2] where the slice begins: a place in the zset, or a cursor of the set
-- ARGV[3] number of documents of the slice
-- ARGV[4] number of documents that are kept
-- ARGV[5] seconds after the last slice in which the kept ones expire
-- Returns where the next slice begins, -1 at the end; documents looked at; those that satisfy all.
local plan = cjson.decode(ARGV[1])
local begin, wanted, kept = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local sin, cos, rad = math.sin, math.cos, math.rad
local EARTH_KM = 6372.797560856
-- What text, nearness and reviews count. A word of a name is four powers of ten more than one of a description:
-- no way within a city makes up for that. Another city comes after all that is here.
local FITTING, NEAR_KM, FAME, LEAST_SCORE = 2, 2, 0.25, 1e-15
local ELSEWHERE_KM, ELSEWHERE = 60, 30

local members, next_begin
if plan.is_set[2] then
  local page = redis.call("SSCAN", KEYS[2], begin, "COUNT", wanted)
  members = page[2]
  next_begin = page[1] == "0" and -1 or tonumber(page[1])
else
  local read = plan.walks_up and "ZRANGE" or "ZREVRANGE"
  members = redis.call(read, KEYS[2], begin, begin + wanted - 1)
  next_begin = #members < wanted and -1 or begin + wanted
end
local looked_at, scores = #members, {}
for at = 1, #members do
  scores[at] = 0
end

-- The documents' values in a list: weights, or false for a document that is not in it.
local function read(list)
  if #members == 0 then
    return {}
  end
  local values
  if plan.is_set[list] then
    values = redis.call("SMISMEMBER", KEYS[list], unpack(members))
    for at = 1, #members do
      values[at] = values[at] == 1 and 1
    end
  else
    values = redis.call("ZMSCORE", KEYS[list], unpack(members))
    for at = 1, #members do
      values[at] = values[at] and tonumber(values[at])
    end
  end
  return values
end

-- The documents' sums in all of some lists.
local function read_all(lists)
  local sums = read(lists[1])
  for number = 2, #lists do
    local values = read(lists[number])
    for at = 1, #members do
      sums[at] = sums[at] and values[at] and sums[at] + values[at]
    end
  end
  return sums
end

-- Go on with the documents that have a value; it adds to their scores.
local function keep(values)
  local left, left_scores = {}, {}
  for at = 1, #members do
    if values[at] then
      left[#left + 1] = members[at]
      left_scores[#left] = scores[at] + values[at]
    end
  end
  members, scores = left, left_scores
end

-- A condition: any of its choices, of which the one counts that weighs most.
for number, condition in ipairs(plan.conditions) do
  local best, is_skipped = {}, {}
  for turn, choice in ipairs(condition.choices) do
    local sums = read_all(choice.lists)
    for at = 1, #members do
      if sums[at] then
        best[at] = math.max(best[at] or 0, sums[at] * choice.factor * condition.weight)
      end
      -- A document is counted where the first of its choices is walked.
      if number == plan.own then
        local is_elsewhere = turn < plan.turn and sums[at] or turn == plan.turn and not sums[at]
        is_skipped[at] = is_skipped[at] or is_elsewhere
      end
    end
  end
  for at = 1, #members do
    best[at] = not is_skipped[at] and best[at]
  end
  keep(best)
end

for _, lists in ipairs(plan.unwanted) do
  local sums = read_all(lists)
  for at = 1, #members do
    sums[at] = not sums[at] and 0
  end
  keep(sums)
end

for _, range in ipairs(plan.ranges) do
  local values = read(range.list)
  for at = 1, #members do
    values[at] = values[at] and values[at] >= range.low and values[at] <= range.high and 0
  end
  keep(values)
end

-- Each document's kilometres from a point, on a sphere; false for one without a place.
local function measure(point)
  local places = redis.call("GEOPOS", KEYS[point.list], unpack(members))
  local distances = {}
  for at = 1, #members do
    local place = places[at]
    distances[at] = false
    if place then
      local lng, lat = tonumber(place[1]), tonumber(place[2])
      local north, east = sin(rad(lat - point.lat) / 2), sin(rad(lng - point.lng) / 2)
      local square = north ^ 2 + cos(rad(lat)) * cos(rad(point.lat)) * east ^ 2
      distances[at] = 2 * EARTH_KM * math.asin(math.min(1, math.sqrt(square)))
    end
  end
  return distances
end

local kilometres
if plan.near and #members > 0 then
  local near, inside, distances = plan.near, {}, measure(plan.near)
  kilometres = {}
  for at = 1, #members do
    local far = distances[at]
    if far and (not near.within_km or far <= near.within_km) then
      inside[at] = 0
      kilometres[#kilometres + 1] = far
    end
  end
  keep(inside)
end

-- How well it satisfies the conditions, how near it is, and how many have reviewed it: in powers of ten.
if plan.here and #members > 0 then
  local distances, votes = measure(plan.here), read(plan.here.votes)
  for at = 1, #members do
    local far = distances[at] or ELSEWHERE_KM
    local nearness = -math.log10(1 + far / NEAR_KM) - (far >= ELSEWHERE_KM and ELSEWHERE or 0)
    local fame = FAME * math.log10(1 + math.max(0, votes[at] or 0))
    scores[at] = FITTING * math.log10(math.max(scores[at], LEAST_SCORE)) + nearness + fame
  end
end

-- In another order than relevance the score is what documents are ordered by.
if plan.by_distance and kilometres then
  scores = kilometres
elseif #plan.orders > 0 then
  for at = 1, #members do
    scores[at] = 0
  end
  for _, order in ipairs(plan.orders) do
    local values = read(order.list)
    for at = 1, #members do
      values[at] = values[at] and values[at] * order.weight
    end
    keep(values)
  end
end

if #members > 0 then
  local pairs_of_zset = {}
  for at = 1, #members do
    pairs_of_zset[2 * at - 1] = string.format("%.17g", scores[at])
    pairs_of_zset[2 * at] = members[at]
  end
  redis.call("ZADD", KEYS[1], unpack(pairs_of_zset))
  if plan.keeps_lowest then
    redis.call("ZREMRANGEBYRANK", KEYS[1], kept, -1)
  else
    redis.call("ZREMRANGEBYRANK", KEYS[1], 0, -kept - 1)
  end
  redis.call("EXPIRE", KEYS[1], ARGV[5])
end
return {next_begin, looked_at, #members}
