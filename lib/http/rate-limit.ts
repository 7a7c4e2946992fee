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

/**
 * `name` must be unique, because web processes that share a port count together by it. `refusal` is
 * the sentence before "Try again in …".
 */
type Limit = { name: string; perMinute: number; refusal: string };

export type RateLimit = {
  /**
   * Counts one call and sets the rate limit headers on `reply`. @throws ApiError `rate_limited`
   * over the limit.
   */
  take: (key: string, reply?: Headers) => Promise<void>;
  /** Whether the next `take` would be refused. */
  isSpent: (key: string) => Promise<boolean>;
  refund: (key: string) => Promise<void>;
};

const NO_LIMIT: RateLimit = {
  take: async () => {},
  isSpent: async () => false,
  refund: async () => {},
};

/**
 * Allows `perMinute` calls per key, counted over all web processes of this machine. 0 means no
 * limit.
 */
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
    async refund(key) {
      await limiter.reward(key);
    },
  };
}

/**
 * With several processes on one port, the primary process counts for all: see
 * `server/processes.ts`.
 */
function limiterOf(options: {
  keyPrefix: string;
  points: number;
  duration: number;
}): RateLimiterAbstract {
  return cluster.isWorker ? new RateLimiterCluster(options) : new RateLimiterMemory(options);
}

/**
 * The key that an address is counted by. An IPv6 client usually owns 2⁶⁴ addresses, so it is
 * counted by its /64 network.
 */
export function addressKey(address: string | null): string {
  if (address === null) return "unknown";
  return (address.includes(":") && normaliseRange(`${address}/64`)) || address;
}
