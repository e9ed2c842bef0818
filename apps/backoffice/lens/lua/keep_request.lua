-- Keep one recorded request in front of the newest ones of its browser.
-- KEYS[1] list: recorded requests as JSON, newest first
-- ARGV[1] the request, as JSON
-- ARGV[2] most requests that are kept
-- ARGV[3] lifetime of the list, in seconds
-- Returns the number of requests that are kept now.
local requests = KEYS[1]
local request = ARGV[1]
local max_requests = tonumber(ARGV[2])
local lifetime = ARGV[3]

redis.call("LPUSH", requests, request)
redis.call("LTRIM", requests, 0, max_requests - 1)
redis.call("EXPIRE", requests, lifetime)
return redis.call("LLEN", requests)
