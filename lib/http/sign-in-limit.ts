import { env } from "../runtime/env.ts";
import { singleton } from "../runtime/singleton.ts";
import { addressKey, rateLimit } from "./rate-limit.ts";

/**
 * Attempts per minute at one account from one address. A limit by account alone would let anyone
 * lock a user out.
 */
const PER_ACCOUNT = 10;

/** `email` is that of the account, if the attempt names one. */
type Attempt = { address: string | null; email?: string };

const REFUSAL = "Too many tries to sign in.";

const limits = () =>
  singleton("limit-sign-in", () => ({
    byAddress: rateLimit({
      name: "sign-in-address",
      perMinute: env().AUTH_FAILURES_PER_MINUTE,
      refusal: REFUSAL,
    }),
    byAccount: rateLimit({ name: "sign-in-account", perMinute: PER_ACCOUNT, refusal: REFUSAL }),
  }));

/**
 * Allows `AUTH_FAILURES_PER_MINUTE` wrong passwords or links from an address, and ten of them for
 * one account. Attempts are counted before they are checked, so that no password is hashed over the
 * limit; a correct one is subtracted again.
 * @throws ApiError `rate_limited`
 */
export async function withSignInLimit<Answer>(
  { address, email }: Attempt,
  attempt: () => Promise<{ answer: Answer; signedIn: boolean }>,
): Promise<Answer> {
  if (env().AUTH_FAILURES_PER_MINUTE === 0) return (await attempt()).answer;
  const { byAddress, byAccount } = limits();
  const from = addressKey(address);
  const account = `${from} ${email}`;
  await byAddress.take(from);
  if (email !== undefined) await byAccount.take(account);
  const { answer, signedIn } = await attempt();
  if (signedIn)
    await Promise.all([byAddress.refund(from), email !== undefined && byAccount.refund(account)]);
  return answer;
}
