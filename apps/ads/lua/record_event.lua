-- Record that a served ad was seen, clicked or acted on: once a ticket, charged if money is left.
-- KEYS[1] hash: the ticket
-- KEYS[2] hash: counts of the ad
-- KEYS[3] hash: counts of each pricing
-- KEYS[4] hash: campaigns, id -> JSON
-- KEYS[5] hash: micros left by campaign
-- KEYS[6] hash: micros charged today by campaign
-- KEYS[7] hash: counts of the day
-- KEYS[8] hash: how often the viewer saw each ad
-- KEYS[9] stream: charges
-- KEYS[10] set: ads whose counts are to be saved
-- KEYS[11] hash: paid events of the viewer's address by campaign
-- KEYS[12] hash: paid events of the network around it by campaign
-- ARGV[1] view, click or action
-- ARGV[2] ad id
-- ARGV[3] the ticket's random part
-- ARGV[4] viewer
-- ARGV[5] user id of the viewer, or ""
-- ARGV[6] 1 for a bot, staff, or a click of somebody who has just come, else 0
-- ARGV[7] seconds that the ticket lives on
-- ARGV[8] milliseconds that pass between a view and a person's click
-- ARGV[9] seconds that the day's counts live
-- ARGV[10] seconds that the viewer's and the networks' counts live
-- ARGV[11] events of an address that a campaign pays in a day, 0 for any number
-- ARGV[12] the same of the network around it
-- Returns {an Outcome, micros charged as text, 1 when the ad is to be priced again}.
local UNKNOWN, COUNTED, CHARGED, REPEATED, INVALID, UNPAID = 0, 1, 2, 3, 4, 5
local DONE = {view = "seen", click = "clicked", action = "acted"}
local PLURAL = {view = "views", click = "clicks", action = "actions"}
local PAID_EVENT = {cpm = "view", cpc = "click", cpa = "action"}
local VIEWS_BETWEEN_PRICES = 100
local ticket_key, counts_key, types_key, campaigns_key, left_key, spent_key = unpack(KEYS, 1, 6)
local day_key, seen_key, charges_key, changed_key, address_key, network_key = unpack(KEYS, 7, 12)
local kind, ad, ticket, viewer, user, is_free, ticket_ttl, min_click_ms = unpack(ARGV, 1, 8)
local day_ttl, seen_ttl, max_address, max_network = unpack(ARGV, 9, 12)
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function increment(key, field, by, ttl)
  if redis.call("HINCRBY", key, field, by) == tonumber(by) and redis.call("TTL", key) < 0 then
    redis.call("EXPIRE", key, ttl)
  end
end

-- 1. The ticket: this ad, this viewer, this event for the first time.
local fields = {"ad", "viewer", "campaign", "pricing", "cost", "words", "seen", "clicked"}
local held = redis.call("HMGET", ticket_key, unpack(fields))
local campaign, pricing, cost, words = unpack(held, 3, 6)
local seen, clicked = tonumber(held[7] or 0), held[8]
if held[1] ~= ad or held[2] ~= viewer then
  return {UNKNOWN, "0", 0}
end
if redis.call("HEXISTS", ticket_key, DONE[kind]) == 1 then
  return {REPEATED, "0", 0}
end

local function has_enough(key, field, most)
  return most ~= "0" and tonumber(redis.call("HGET", key, field) or 0) >= tonumber(most)
end

-- 2. Whether a person did this who has nothing to gain by it. A click comes after a look.
local rules = cjson.decode(redis.call("HGET", campaigns_key, campaign) or '{"owners":{}}')
local is_valid = is_free ~= "1" and not rules.owners[user]
if kind == "click" then
  is_valid = is_valid and seen > 0 and now - seen >= tonumber(min_click_ms)
elseif kind == "action" then
  is_valid = is_valid and clicked
end
local is_paid_event = PAID_EVENT[pricing] == kind
local paid_field = campaign .. ":" .. kind
if is_paid_event and has_enough(address_key, paid_field, max_address) then
  is_valid = false
elseif is_paid_event and has_enough(network_key, paid_field, max_network) then
  is_valid = false
end
redis.call("SADD", changed_key, ad)
if not is_valid then
  if redis.call("HSETNX", ticket_key, "invalid:" .. kind, now) == 1 then
    redis.call("HINCRBY", counts_key, "invalid", 1)
    increment(day_key, ad .. ":invalid", 1, day_ttl)
  end
  return {INVALID, "0", 0}
end

-- 3. Count it for the ad, its pricing and the words that matched.
redis.call("HSET", ticket_key, DONE[kind], string.format("%d", now))
redis.call("EXPIRE", ticket_key, ticket_ttl)
local count = redis.call("HINCRBY", counts_key, PLURAL[kind], 1)
redis.call("HINCRBY", types_key, pricing .. ":" .. PLURAL[kind], 1)
for word in words:gmatch("[^\n]+") do
  redis.call("HINCRBY", counts_key, PLURAL[kind] .. ":" .. word, 1)
end
increment(day_key, ad .. ":" .. PLURAL[kind], 1, day_ttl)
if kind == "view" then
  increment(seen_key, ad, 1, seen_ttl)
end

-- 4. Charge it where the campaign pays for this and has the money. Whole micros, never a float.
local outcome = is_paid_event and UNPAID or COUNTED
local left = tonumber(redis.call("HGET", left_key, campaign) or 0)
local spent = tonumber(redis.call("HGET", spent_key, campaign) or 0)
local price = tonumber(cost)
local has_left = left >= price and (rules.daily == 0 or spent + price <= (rules.daily or 0))
if is_paid_event and rules.on and has_left then
  outcome = CHARGED
  redis.call("HINCRBY", left_key, campaign, "-" .. cost)
  increment(spent_key, campaign, cost, day_ttl)
  increment(day_key, ad .. ":spent", cost, day_ttl)
  increment(address_key, paid_field, 1, seen_ttl)
  increment(network_key, paid_field, 1, seen_ttl)
  redis.call("XADD", charges_key, "*", "v", "1", "ticket", ticket, "kind", kind, "ad", ad,
    "campaign", campaign, "micros", cost, "at", string.format("%d", now))
end

local is_hundredth = kind == "view" and count % VIEWS_BETWEEN_PRICES == 0
local is_due = is_hundredth or kind ~= "view" and is_paid_event
return {outcome, outcome == CHARGED and cost or "0", is_due and 1 or 0}
