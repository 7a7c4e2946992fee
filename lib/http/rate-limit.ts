import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { ApiError } from "../wire/errors.ts";

const WINDOW_SECONDS = 60;

type Limit = { name: string; perMinute: number; refusal: string };

/** A limiter of `perMinute` calls per key and process; 0 switches it off. Consuming one too many throws `rate_limited`. */
export function rateLimit({ name, perMinute, refusal }: Limit): (key: string, reply: Headers) => Promise<void> {
  if (perMinute === 0) return async () => {};
  const limiter = new RateLimiterMemory({ keyPrefix: name, points: perMinute, duration: WINDOW_SECONDS });
  return async (key, reply) => {
    const taken = await limiter.consume(key).catch((spent: unknown) => spent);
    if (!(taken instanceof RateLimiterRes)) throw taken;
    const seconds = Math.max(1, Math.ceil(taken.msBeforeNext / 1000));
    reply.set("RateLimit-Policy", `"${name}";q=${perMinute};w=${WINDOW_SECONDS}`);
    reply.set("RateLimit", `"${name}";r=${taken.remainingPoints};t=${seconds}`);
    if (taken.consumedPoints > perMinute) {
      throw new ApiError("rate_limited", `${refusal} Try again in ${seconds} s.`, { headers: { "Retry-After": String(seconds) } });
    }
  };
}
