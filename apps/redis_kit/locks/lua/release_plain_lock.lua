-- Delete a plain lock, unless its lease ended and another process holds it now.
-- KEYS[1] string: the holder's random value
-- ARGV[1] the value of the process that releases
-- Returns 1 when the value was its own, else 0.
if redis.call("GET", KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call("DEL", KEYS[1])
