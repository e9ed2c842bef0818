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
-- What text, nearness and reviews count. A word of a name is four powers of ten more than one of a
-- description: no way within a city makes up for that. Another city comes after all that is here.
local FITTING, NEAR_KM, FAME, LEAST_SCORE = 2, 2, 0.25, 1e-15
local ELSEWHERE_KM, ELSEWHERE = 60, 30

local members, next_begin
if plan.is_set[2] then
  local page = redis.call("SSCAN", KEYS[2], begin, "COUNT", wanted)
  members = page[2]
  next_begin = page[1] == "0" and -1 or tonumber(page[1])
else
  local command = plan.walks_up and "ZRANGE" or "ZREVRANGE"
  members = redis.call(command, KEYS[2], begin, begin + wanted - 1)
  next_begin = #members < wanted and -1 or begin + wanted
end

-- What a function of each document's place in the slice returns, for all of them.
local function map(value_at)
  local values = {}
  for at = 1, #members do
    values[at] = value_at(at)
  end
  return values
end

local function zero()
  return 0
end

local looked_at, scores = #members, map(zero)

-- The documents' values in a list: weights, or false for a document that is not in it.
local function read(list)
  local command = plan.is_set[list] and "SMISMEMBER" or "ZMSCORE"
  local values = #members > 0 and redis.call(command, KEYS[list], unpack(members))
  return map(function(at)
    return values[at] and values[at] ~= 0 and tonumber(values[at])
  end)
end

-- The documents' sums in all of some lists.
local function read_all(lists)
  local sums = read(lists[1])
  for number = 2, #lists do
    local values, before = read(lists[number]), sums
    sums = map(function(at)
      return before[at] and values[at] and before[at] + values[at]
    end)
  end
  return sums
end

-- Go on with the documents that have a value; it adds to their scores.
local function keep(values)
  local left, left_scores = {}, {}
  for at, member in ipairs(members) do
    if values[at] then
      left[#left + 1] = member
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
        is_skipped[at] = is_skipped[at]
          or turn < plan.turn and sums[at]
          or turn == plan.turn and not sums[at]
      end
    end
  end
  keep(map(function(at)
    return not is_skipped[at] and best[at]
  end))
end

for _, lists in ipairs(plan.unwanted) do
  local sums = read_all(lists)
  keep(map(function(at)
    return not sums[at] and 0
  end))
end

for _, range in ipairs(plan.ranges) do
  local values = read(range.list)
  keep(map(function(at)
    return values[at] and values[at] >= range.low and values[at] <= range.high and 0
  end))
end

-- Each document's kilometres from a point, on a sphere; false for one without a place.
local function measure(point)
  local places = redis.call("GEOPOS", KEYS[point.list], unpack(members))
  return map(function(at)
    if not places[at] then
      return false
    end
    local lng, lat = tonumber(places[at][1]), tonumber(places[at][2])
    local north, east = sin(rad(lat - point.lat) / 2), sin(rad(lng - point.lng) / 2)
    local square = north ^ 2 + cos(rad(lat)) * cos(rad(point.lat)) * east ^ 2
    return 2 * EARTH_KM * math.asin(math.min(1, math.sqrt(square)))
  end)
end

local kilometres
if plan.near and #members > 0 then
  local within_km, inside = plan.near.within_km or math.huge, {}
  kilometres = {}
  for at, far in ipairs(measure(plan.near)) do
    if far and far <= within_km then
      inside[at] = 0
      kilometres[#kilometres + 1] = far
    end
  end
  keep(inside)
end

-- How well it satisfies the conditions, how near it is, and how many have reviewed it: in powers of
-- ten.
if plan.here and #members > 0 then
  local distances, votes = measure(plan.here), read(plan.here.votes)
  for at = 1, #members do
    local far = distances[at] or ELSEWHERE_KM
    scores[at] = FITTING * math.log10(math.max(scores[at], LEAST_SCORE))
      - math.log10(1 + far / NEAR_KM) - (far >= ELSEWHERE_KM and ELSEWHERE or 0)
      + FAME * math.log10(1 + math.max(0, votes[at] or 0))
  end
end

-- In another order than relevance the score is what documents are ordered by.
if plan.by_distance and kilometres then
  scores = kilometres
elseif #plan.orders > 0 then
  scores = map(zero)
  for _, order in ipairs(plan.orders) do
    local values = read(order.list)
    keep(map(function(at)
      return values[at] and values[at] * order.weight
    end))
  end
end

if #members > 0 then
  local pairs_of_zset = {}
  for at = 1, #members do
    pairs_of_zset[2 * at - 1] = string.format("%.17g", scores[at])
    pairs_of_zset[2 * at] = members[at]
  end
  redis.call("ZADD", KEYS[1], unpack(pairs_of_zset))
  redis.call("ZREMRANGEBYRANK", KEYS[1], unpack(plan.keeps_lowest and {kept, -1} or {0, -kept - 1}))
  redis.call("EXPIRE", KEYS[1], ARGV[5])
end
return {next_begin, looked_at, #members}
