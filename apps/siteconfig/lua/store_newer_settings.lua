-- Store the settings of a component, unless newer ones are there.
-- KEYS[1] hash    component -> "number json"
-- ARGV[1] component
-- ARGV[2] number of the settings: later ones have larger numbers
-- ARGV[3] settings as JSON
-- Returns 1 when they are stored, 0 when the same or newer ones are there.
local settings_key = KEYS[1]
local component = ARGV[1]
local number = tonumber(ARGV[2])

local stored = redis.call("HGET", settings_key, component)
-- A text without a number was written by somebody else and is replaced.
local stored_number = stored and tonumber(string.match(stored, "^(%d+) {")) or 0
if stored_number >= number then
  return 0
end
redis.call("HSET", settings_key, component, ARGV[2] .. " " .. ARGV[3])
return 1
