-- Delete a plain lock, unless its lease ended and somebody else holds it now.
-- KEYS[1] string: the holder's random value
-- ARGV[1] the value of the one who releases
-- Returns 1 when it was theirs, else 0.
if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call("DEL", KEYS[1])
