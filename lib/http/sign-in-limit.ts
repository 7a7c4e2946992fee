import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { env } from "../runtime/env.ts";
import { processWide } from "../runtime/process-wide.ts";
import { ApiError } from "../wire/errors.ts";

const WINDOW_SECONDS = 60;
/** At one account from one address: by account alone, anybody could shut somebody else out. */
const PER_ACCOUNT = 10;

type Attempt = { address: string; email: string };

const limits = () =>
  processWide("limit-sign-in", () => {
    const limit = (name: string, points: number) =>
      new RateLimiterMemory({ keyPrefix: `sign-in-${name}`, points, duration: WINDOW_SECONDS });
    return { byAddress: limit("address", env().AUTH_FAILURES_PER_MINUTE), byAccount: limit("account", PER_ACCOUNT) };
  });

/**
 * Lets `AUTH_FAILURES_PER_MINUTE` wrong passwords be tried from an address, and ten of them at one account. Each try counts as it
 * comes, so that none beyond them is hashed; the right password is given back. @throws ApiError `rate_limited`
 */
export async function limitingSignIns(
  { address, email }: Attempt,
  attempt: () => Promise<{ answer: Response; signedIn: boolean }>,
): Promise<Response> {
  if (env().AUTH_FAILURES_PER_MINUTE === 0) return (await attempt()).answer;
  const { byAddress, byAccount } = limits();
  const account = `${address} ${email}`;
  await consume(byAddress, address);
  await consume(byAccount, account);
  const { answer, signedIn } = await attempt();
  if (signedIn) await Promise.all([byAddress.reward(address), byAccount.reward(account)]);
  return answer;
}

async function consume(limiter: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (spent) {
    if (!(spent instanceof RateLimiterRes)) throw spent;
    const seconds = Math.max(1, Math.ceil(spent.msBeforeNext / 1000));
    throw new ApiError("rate_limited", `Too many sign-in attempts. Try again in ${seconds} s.`, {
      headers: { "Retry-After": String(seconds) },
    });
  }
}
