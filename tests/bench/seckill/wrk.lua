-- wrk's side of tests.bench.seckill.request_generator: whose request is next, what was answered, and the sums as JSON.
-- Environment: AIM_TOKENS a file of bearer tokens, AIM_SALES voucher ids, AIM_PREFIX of the Idempotency-Keys,
-- AIM_HOST, AIM_FIRST the turn to begin with, AIM_SPREAD 1 when each turn is another sale's, AIM_RATE requests a second (0: as fast as they are answered), AIM_PATH a page to GET with the tokens
-- as cookies instead of the sales, AIM_COOKIE the cookie's name. One thread: two would be the same people.
local ffi = require("ffi")
ffi.cdef("typedef struct { long sec; long usec; } aim_time; int gettimeofday(aim_time *now, void *zone);")

local threads = {}
-- Global, so that done() can fetch it from the thread.
answers = {}

function setup(thread)
  threads[#threads + 1] = thread
end

local tokens, sales, turn, sent = {}, {}, 0, 0
local aim = {}
for _, name in ipairs({ "TOKENS", "SALES", "PREFIX", "HOST", "FIRST", "SPREAD", "RATE", "PATH", "COOKIE" }) do
  aim[name] = os.getenv("AIM_" .. name) or ""
end
local rate = tonumber(aim.RATE) or 0
local before = " HTTP/1.1\r\nHost: " .. aim.HOST .. "\r\n"
local key = "\r\nContent-Length: 0\r\nIdempotency-Key: " .. aim.PREFIX

local function now()
  local read = ffi.new("aim_time")
  ffi.C.gettimeofday(read, nil)
  return tonumber(read.sec) + tonumber(read.usec) / 1e6
end

function init()
  for line in io.lines(aim.TOKENS) do tokens[#tokens + 1] = line end
  for voucher in aim.SALES:gmatch("%d+") do sales[#sales + 1] = voucher end
  turn = tonumber(aim.FIRST) or 0
end

-- Every pair of person and sale comes once before the first comes again: sale by sale, person by person;
-- spread, the next person asks for the next sale.
function request()
  local token, lap = tokens[turn % #tokens + 1], math.floor(turn / #tokens)
  local sale = sales[(aim.SPREAD == "1" and turn + lap or lap) % #sales + 1]
  turn, sent = turn + 1, sent + 1
  if aim.PATH ~= "" then
    return "GET " .. aim.PATH .. before .. "Cookie: " .. aim.COOKIE .. "=" .. token .. "\r\n\r\n"
  end
  return "POST /api/vouchers/" .. sale .. "/seckill" .. before .. "Authorization: Bearer " .. token .. key .. turn .. "\r\n\r\n"
end

function response(status, _, body)
  local code = tostring(status)
  if status == 201 then
    if not body:find('"order_id"', 1, true) then code = "201 without an order" end
  elseif status ~= 200 then
    code = code .. " " .. (body:match('"code": ?"([%w_]+)"') or "")
  end
  answers[code] = (answers[code] or 0) + 1
end

if rate > 0 then
  local began
  -- Milliseconds until the next request is due.
  function delay()
    began = began or now()
    return math.max(0, math.floor((began + sent / rate - now()) * 1000))
  end
end

function done(summary, latency)
  local sums, codes = {}, {}
  for _, thread in ipairs(threads) do
    for code, count in pairs(thread:get("answers")) do sums[code] = (sums[code] or 0) + count end
  end
  for code, count in pairs(sums) do codes[#codes + 1] = string.format('"%s": %d', code, count) end
  local errors = {}
  for _, kind in ipairs({ "connect", "read", "write", "timeout" }) do
    errors[#errors + 1] = string.format('"%s": %d', kind, summary.errors[kind])
  end
  io.write(string.format('{"codes": {%s}, "errors": {%s}, "seconds": %.6f, "p50": %.3f, "p99": %.3f, "slowest": %.3f}\n',
    table.concat(codes, ", "), table.concat(errors, ", "), summary.duration / 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3))
end
