import cluster from "node:cluster";
import {
  type RateLimiterAbstract,
  RateLimiterCluster,
  RateLimiterMemory,
  RateLimiterRes,
} from "rate-limiter-flexible";
import { ApiError } from "../wire/errors.ts";
import { normaliseRange } from "../wire/ip-range.ts";

const WINDOW_SECONDS = 60;

/** `name`: of its own, since web processes that share a port count together by it. `refusal`: the sentence before "Try again in …". */
type Limit = { name: string; perMinute: number; refusal: string };

export type RateLimit = {
  /** Counts one. Headers go on `reply`, where there is one. @throws ApiError `rate_limited` where it is one too many. */
  take: (key: string, reply?: Headers) => Promise<void>;
  /** Whether the next one is one too many. */
  isSpent: (key: string) => Promise<boolean>;
  giveBack: (key: string) => Promise<void>;
};

const NO_LIMIT: RateLimit = {
  take: async () => {},
  isSpent: async () => false,
  giveBack: async () => {},
};

/** So many per key and minute, over all web processes of this machine; 0 is no limit. */
export function rateLimit({ name, perMinute, refusal }: Limit): RateLimit {
  if (perMinute === 0) return NO_LIMIT;
  const limiter = limiterOf({ keyPrefix: name, points: perMinute, duration: WINDOW_SECONDS });
  return {
    async take(key, reply) {
      const taken = await limiter.consume(key).catch((spent: unknown) => spent);
      if (!(taken instanceof RateLimiterRes)) throw taken;
      const seconds = Math.max(1, Math.ceil(taken.msBeforeNext / 1000));
      reply?.set("RateLimit-Policy", `"${name}";q=${perMinute};w=${WINDOW_SECONDS}`);
      reply?.set("RateLimit", `"${name}";r=${taken.remainingPoints};t=${seconds}`);
      if (taken.consumedPoints > perMinute) {
        throw new ApiError("rate_limited", `${refusal} Try again in ${seconds} s.`, {
          headers: { "Retry-After": String(seconds) },
        });
      }
    },
    async isSpent(key) {
      return ((await limiter.get(key))?.consumedPoints ?? 0) >= perMinute;
    },
    async giveBack(key) {
      await limiter.reward(key);
    },
  };
}

/** Of several processes on one port, the one that hands out their connections counts for all: `server/processes.ts`. */
function limiterOf(options: {
  keyPrefix: string;
  points: number;
  duration: number;
}): RateLimiterAbstract {
  return cluster.isWorker ? new RateLimiterCluster(options) : new RateLimiterMemory(options);
}

/** What an address is counted as: whoever has one of IPv6 has 2⁶⁴ of them, so there its network is. */
export function addressKey(address: string | null): string {
  if (address === null) return "unknown";
  return (address.includes(":") && normaliseRange(`${address}/64`)) || address;
}
