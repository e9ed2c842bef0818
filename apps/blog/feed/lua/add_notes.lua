-- Add notes to the inboxes that exist, and keep the newest of each: its floor rises above the rest.
-- KEYS[1..] zset: notes by the microsecond of their publication; the member "floor": the inbox has
--           every note above its score; negative: it is being filled since that microsecond
-- ARGV[1] number of notes that an inbox holds
-- ARGV[2] floor with which the filling began that ends here; empty for notes that come otherwise
-- ARGV[3] microsecond of the newest note that was left out of these, 0 for none
-- ARGV[4] lifetime of an inbox once it is filled, in seconds
-- ARGV[5..] microsecond, note, and so on in turn
-- Returns the number of inboxes that have the notes.
local capacity = tonumber(ARGV[1])
local filling_floor = ARGV[2]
local newest_omitted = ARGV[3]
local lifetime = ARGV[4]
local is_filling = filling_floor ~= ""

-- Make `floor` the floor of an inbox, and remove the notes at or below it.
local function raise_floor(inbox_key, floor)
  -- The floor moves away first: an inbox that lost its last member would lose its expiry with it.
  redis.call("ZADD", inbox_key, "+inf", "floor")
  redis.call("ZREMRANGEBYSCORE", inbox_key, "-inf", floor)
  redis.call("ZADD", inbox_key, floor, "floor")
end

-- Remove the oldest notes beyond the capacity; `floor` is the inbox's floor.
local function trim(inbox_key, floor)
  local excess = redis.call("ZCARD", inbox_key) - 1 - capacity
  if excess > 0 and tonumber(floor) >= 0 then
    -- The floor is the lowest member, so rank `excess` is the newest note that must go.
    local newest_excess = redis.call("ZRANGE", inbox_key, excess, excess, "WITHSCORES")
    raise_floor(inbox_key, newest_excess[2])
  end
end

-- Add the notes above the floor, raise it to what was omitted, and trim.
local function add(inbox_key, floor)
  for index = 5, #ARGV, 2 do
    local microsecond = ARGV[index]
    if tonumber(microsecond) > tonumber(floor) then
      redis.call("ZADD", inbox_key, microsecond, ARGV[index + 1])
    end
  end
  local is_complete = tonumber(floor) >= 0
  if is_filling or is_complete and tonumber(newest_omitted) > tonumber(floor) then
    raise_floor(inbox_key, newest_omitted)
    floor = newest_omitted
  end
  trim(inbox_key, floor)
end

-- For each inbox: skip a missing one, restart a filling that can't know what was omitted, or add.
local reached = 0
for _, inbox_key in ipairs(KEYS) do
  local floor = redis.call("ZSCORE", inbox_key, "floor")
  local has_omissions = tonumber(newest_omitted) > 0
  if floor and tonumber(floor) < 0 and not is_filling and has_omissions then
    redis.call("DEL", inbox_key)
  elseif floor and (not is_filling or filling_floor == floor) then
    add(inbox_key, floor)
    reached = reached + 1
    if is_filling then
      redis.call("EXPIRE", inbox_key, lifetime)
    end
  end
end
return reached
