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
local PAGE, MAX_LOOKED, WHOLE_RATE, NO_LIMIT = 8, 2000, 10000, 2 ^ 53
local ads_key, campaigns_key, left_key, rates_key, spent_key, seen_key = unpack(KEYS, 1, 6)
local hidden_key, ticket_key, day_key, requests_key, changed_key = unpack(KEYS, 7, 11)
local ticket, viewer, place, is_free, ticket_ttl, hour, day_ttl, hours_ttl = unpack(ARGV, 1, 8)
local now = tonumber(redis.call("TIME")[1])

-- 1. The lists of the places, read a page at a time.
local lists = {}
for index = 12, #KEYS do
  lists[#lists + 1] = {key = KEYS[index], offset = 0, at = 1, page = {}}
end

local function next_ceiling(list)
  if not list.page[list.at] and not list.ended then
    list.page = redis.call("ZREVRANGE", list.key, list.offset, list.offset + PAGE - 1, "WITHSCORES")
    list.offset = list.offset + PAGE
    list.at = 1
    list.ended = #list.page < 2 * PAGE
  end
  return tonumber(list.page[list.at + 1] or -1)
end

local function highest_list()
  local highest, highest_ceiling = nil, -1
  for index = 1, #lists do
    local ceiling = next_ceiling(lists[index])
    if ceiling > highest_ceiling then
      highest, highest_ceiling = index, ceiling
    end
  end
  return highest, highest_ceiling
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

local function may_run(id, ad)
  local held = redis.call("HGET", campaigns_key, ad.campaign)
  local rules = held and cjson.decode(held)
  if not rules or not rules.on or now < rules.begins or now >= rules.ends then
    return nil
  end
  local left = tonumber(redis.call("HGET", left_key, ad.campaign) or 0)
  local spent = tonumber(redis.call("HGET", spent_key, ad.campaign) or 0)
  local views = tonumber(redis.call("HGET", seen_key, id) or 0)
  local is_paid = left >= rules.cost and (rules.daily == 0 or spent + rules.cost <= rules.daily)
  local is_wanted = views < rules.views_per_person and redis.call("SISMEMBER", hidden_key, id) == 0
  return is_paid and is_wanted and passes(ad.campaign, spent) and rules
end

-- 3. Walk down until the best value reaches the next ceiling.
local best, best_id, best_list, best_rules, best_value = nil, nil, nil, nil, -1
local looked = {}
for _ = 1, MAX_LOOKED do
  local index, ceiling = highest_list()
  if not index or best_value >= ceiling then
    break
  end
  local list = lists[index]
  local id = list.page[list.at]
  list.at = list.at + 2
  local held = not looked[id] and redis.call("HGET", ads_key, id)
  looked[id] = true
  local ad = held and cjson.decode(held)
  local value = ad and value_here(ad) or -1
  local rules = value > best_value and may_run(id, ad)
  if rules then
    best, best_id, best_list, best_rules, best_value = ad, id, index, rules, value
  end
end

-- 4. Count the page, and leave the ticket.
if is_free ~= "1" and redis.call("HINCRBY", requests_key, hour, 1) == 1 then
  redis.call("EXPIRE", requests_key, hours_ttl)
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
  if redis.call("HINCRBY", day_key, best_id .. ":served", 1) == 1 then
    redis.call("EXPIRE", day_key, day_ttl)
  end
end
return {best_id, best_list, best.ecpm, best_value, unpack(matched)}
