-- Choose the ad of the highest value for a page, among those that may run now, and leave a ticket.
-- The ads of each place come by falling ceiling: none behind one below the best value can win.
-- KEYS[1] hash: ads, id -> JSON
-- KEYS[2] hash: campaigns, id -> JSON
-- KEYS[3] hash: micros left by campaign
-- KEYS[4] hash: pass-through rate by campaign in ten-thousandths, and what it may spend by now
-- KEYS[5] hash: micros charged today by campaign
-- KEYS[6] hash: how often the viewer saw each ad
-- KEYS[7] set: ads that the viewer has hidden
-- KEYS[8] hash: the new ticket
-- KEYS[9] hash: counts of the day
-- KEYS[10] hash: pages that could show an ad, by hour
-- KEYS[11] set: ads whose counts are to be saved
-- KEYS[12..] zset: the ads of each place, by ceiling
-- ARGV[1] the ticket's random part
-- ARGV[2] viewer
-- ARGV[3] kind of page
-- ARGV[4] 1 when nothing is counted (a bot, staff), else 0
-- ARGV[5] seconds that the ticket lives
-- ARGV[6] hour of the day
-- ARGV[7] seconds that the day's counts live
-- ARGV[8] seconds that the hours' counts live
-- ARGV[9..] the words of the page
-- Returns {ad id, number of the place in KEYS[12..], eCPM, value, words that matched…}, or {}.
local FIRST_PAGE, PAGE, MAX_LOOKED, WHOLE_RATE, NO_LIMIT = 2, 16, 2000, 10000, 2 ^ 53
local ads_key, campaigns_key, left_key, rates_key, spent_key, seen_key = unpack(KEYS, 1, 6)
local hidden_key, ticket_key, day_key, requests_key, changed_key = unpack(KEYS, 7, 11)
local ticket, viewer, place, is_free, ticket_ttl, hour, day_ttl, hours_ttl = unpack(ARGV, 1, 8)
local now = tonumber(redis.call("TIME")[1])

-- 1. The lists of the places, each at its highest ad that was not looked at; two ads often suffice.
local function read_page(list, size)
  list.page = redis.call("ZREVRANGE", list.key, list.offset, list.offset + size - 1, "WITHSCORES")
  list.offset = list.offset + size
  list.at = 1
  list.is_last = #list.page < 2 * size
  list.ceiling = tonumber(list.page[2] or -1)
end

local function advance(list)
  list.at = list.at + 2
  if list.page[list.at] or list.is_last then
    list.ceiling = tonumber(list.page[list.at + 1] or -1)
  else
    read_page(list, PAGE)
  end
end

local lists = {}
for index = 12, #KEYS do
  local list = {key = KEYS[index], number = index - 11, offset = 0}
  read_page(list, FIRST_PAGE)
  lists[list.number] = list
end

local function highest_list()
  local highest = lists[1]
  for index = 2, #lists do
    if lists[index].ceiling > highest.ceiling then
      highest = lists[index]
    end
  end
  return highest
end

-- 2. An ad's value on this page, and whether its campaign lets it run for this viewer now.
local function value_here(ad)
  local low, high
  for index = 9, #ARGV do
    local bonus = ad.words[ARGV[index]]
    if bonus then
      low = math.min(low or bonus, bonus)
      high = math.max(high or bonus, bonus)
    end
  end
  return ad.ecpm + (low and math.floor((low + high) / 2) or 0)
end

local function passes(campaign, spent)
  local paced = redis.call("HMGET", rates_key, campaign, campaign .. ":allowed")
  local rate, allowed = tonumber(paced[1] or WHOLE_RATE), tonumber(paced[2] or NO_LIMIT)
  local drawn = rate < WHOLE_RATE and redis.sha1hex(ticket .. ":" .. campaign):sub(1, 8) or "0"
  return spent < allowed and tonumber(drawn, 16) % WHOLE_RATE < rate
end

local function rules_in_turn(campaign)
  local held = redis.call("HGET", campaigns_key, campaign)
  local rules = held and cjson.decode(held)
  if not rules or not rules.on or now < rules.begins or now >= rules.ends then
    return false
  end
  local left = tonumber(redis.call("HGET", left_key, campaign) or 0)
  local spent = tonumber(redis.call("HGET", spent_key, campaign) or 0)
  local is_paid = left >= rules.cost and (rules.daily == 0 or spent + rules.cost <= rules.daily)
  return is_paid and passes(campaign, spent) and rules
end

local campaigns = {}
local function may_run(id, campaign)
  if campaigns[campaign] == nil then
    campaigns[campaign] = rules_in_turn(campaign)
  end
  local rules = campaigns[campaign]
  if not rules or redis.call("SISMEMBER", hidden_key, id) == 1 then
    return false
  end
  local views = tonumber(redis.call("HGET", seen_key, id) or 0)
  return views < rules.views_per_person and rules
end

-- 3. Walk down until the best value reaches the next ceiling. Nobody else is served meanwhile, so
-- the walk ends after 2,000 ads: the page then gets the best of those, if any, and is counted.
local best, best_id, best_list, best_rules, best_value = nil, nil, nil, nil, -1
local looked, many = {}, 0
local list = highest_list()
while best_value < list.ceiling and many < MAX_LOOKED do
  local id = list.page[list.at]
  if not looked[id] then
    looked[id], many = true, many + 1
    local held = redis.call("HGET", ads_key, id)
    local ad = held and cjson.decode(held)
    local value = ad and value_here(ad) or -1
    local rules = value > best_value and may_run(id, ad.campaign)
    if rules then
      best, best_id, best_list, best_rules, best_value = ad, id, list.number, rules, value
    end
  end
  advance(list)
  list = highest_list()
end
local is_cut = best_value < list.ceiling

-- 4. Count the page, and leave the ticket.
local function count(key, field, ttl)
  if redis.call("HINCRBY", key, field, 1) == 1 then
    redis.call("EXPIRE", key, ttl)
  end
end

if is_free ~= "1" then
  count(requests_key, hour, hours_ttl)
end
if is_cut then
  count(day_key, "cut", day_ttl)
end
if not best then
  return {}
end
local matched = {}
for index = 9, #ARGV do
  if best.words[ARGV[index]] then
    matched[#matched + 1] = ARGV[index]
  end
end
redis.call("HSET", ticket_key, "ad", best_id, "campaign", best.campaign, "place", place,
  "pricing", best_rules.pricing, "cost", string.format("%d", best_rules.cost), "viewer", viewer,
  "words", table.concat(matched, "\n"))
redis.call("EXPIRE", ticket_key, ticket_ttl)
if is_free ~= "1" then
  redis.call("SADD", changed_key, best_id)
  count(day_key, best_id .. ":served", day_ttl)
end
return {best_id, best_list, best.ecpm, best_value, unpack(matched)}
