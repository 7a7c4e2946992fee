import { env } from "../runtime/env.ts";
import { singleton } from "../runtime/singleton.ts";
import { addressKey, rateLimit } from "./rate-limit.ts";

/** At one account from one address: by account alone, anybody could shut somebody else out. */
const PER_ACCOUNT = 10;

/** `email`: the account it is at, where that is known. */
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
 * Lets `AUTH_FAILURES_PER_MINUTE` wrong passwords or links be tried from an address, and ten of them at one account. Each try counts as it
 * comes, so that none beyond them is hashed; the right one is given back. @throws ApiError `rate_limited`
 */
export async function limitingSignIns<Answer>(
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
    await Promise.all([
      byAddress.giveBack(from),
      email !== undefined && byAccount.giveBack(account),
    ]);
  return answer;
}
