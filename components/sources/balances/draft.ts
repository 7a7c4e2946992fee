import type { Problems } from "#components/kit/problems.ts";
import { parseMoney } from "#components/ui/money.ts";

/** A balance as typed. Fields are named as in the body, so that a refusal finds its field. */
export type BalanceDraft = { day: string; amount_minor: string; reason: string };

export function missingInBalance(
  { day, amount_minor, reason }: BalanceDraft,
  currency: string,
): Problems {
  return {
    ...(day === "" && { day: "Choose the day at whose end it holds." }),
    ...(parseMoney(amount_minor, currency) === null && {
      amount_minor: "Enter an amount, for example 11,876.50.",
    }),
    ...(reason.trim() === "" && { reason: "Say where the balance is from." }),
  };
}

/** The draft as a request body, once nothing is missing in it. */
export function balanceOf({ day, amount_minor, reason }: BalanceDraft, currency: string) {
  return { day, amount_minor: parseMoney(amount_minor, currency) ?? 0, reason };
}
