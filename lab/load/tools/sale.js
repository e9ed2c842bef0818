// The sale in k6: everybody in the file of tokens claims once.
//   k6 run -e URL=http://127.0.0.1:8000 -e VOUCHER=17 -e TOKENS=$PWD/tokens.txt lab/load/tools/sale.js
// VUS (64) are the people at a time. Exit code 99 when a threshold is missed.
import { check } from "k6";
import { SharedArray } from "k6/data";
import exec from "k6/execution";
import http from "k6/http";

const VUS = Number(__ENV.VUS || 64);
const address = `${__ENV.URL}/api/vouchers/${__ENV.VOUCHER}/seckill`;
const tokens = new SharedArray("tokens", () => open(__ENV.TOKENS).trim().split("\n"));

// Bought; refused by the sale's rules; not ready or busy, which says when to come back. All else has failed.
http.setResponseCallback(http.expectedStatuses(201, 409, 503));

export const options = {
  scenarios: {
    rush: {
      executor: "shared-iterations",
      vus: VUS,
      iterations: tokens.length,
      maxDuration: "10m",
    },
  },
  thresholds: {
    http_req_failed: ["rate==0"],
    http_req_duration: ["p(99)<300"],
    checks: ["rate>0.99"],
  },
};

export default function () {
  // The number of this iteration in the whole test: no two virtual users take the same person.
  const number = exec.scenario.iterationInTest;
  const headers = {
    Authorization: `Bearer ${tokens[number]}`,
    "Idempotency-Key": `k6-${number}-${Date.now()}`,
  };
  const answer = http.post(address, null, { headers });
  check(answer, { "bought, or refused by the rules": ({ status }) => status === 201 || status === 409 });
}
