import { z } from "zod";
import { reconciliation, signOff } from "../../reconciliations/contract.ts";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { text } from "../../wire/schema.ts";
import { byReconciliation, idempotency, side, sum, tag } from "../contract.ts";

/** The checks that a pair's policy can let block, warn or be ignored. */
export const POLICY_CHECKS = [
  "period_over",
  "files",
  "balances",
  "suggestions",
  "exceptions",
  "difference",
  "evidence",
] as const;
export const CHECK_WEIGHTS = ["block", "warn", "ignore"] as const;
const CHECKS = [...POLICY_CHECKS, "second_person", "signatures"] as const;

const check = z
  .object({
    check: z.enum(CHECKS).meta({ example: "suggestions" }),
    outcome: z.enum(["pass", "warn", "block"]).meta({ example: "warn" }),
    count: z.int().min(0).nullable().meta({
      description:
        "How many items are in the way: suggestions, exceptions, days, currencies or matches.",
      example: 4,
    }),
    detail: z.string().meta({
      example: "4 suggestions are waiting for a decision and move to the next period.",
    }),
  })
  .meta({ id: "PeriodCheck" });
export type PeriodCheck = z.output<typeof check>;

const coverage = z
  .object({
    side,
    name: z.string().meta({ description: "The source's name.", example: "Bank" }),
    until: z.iso.date().nullable().meta({
      description: "The last day with a line or a balance.",
      example: "2026-10-30",
    }),
    missing_days: z.int().min(0).meta({
      description:
        "Business days from then to the end of the period, by the calendar of the pair's rules.",
      example: 0,
    }),
    has_balance: z.boolean().meta({
      description: "Whether the balance at the end of the period is known.",
      example: true,
    }),
    breaks: z
      .array(
        z
          .object({
            kind: z.enum(["gap", "overlap"]).meta({ example: "gap" }),
            from: z.iso.date().meta({ example: "2026-10-14" }),
            to: z.iso.date().meta({ example: "2026-10-17" }),
            minor: sum.meta({
              description:
                "How much the next opening balance exceeds the previous closing balance " +
                "plus the lines in between.",
              example: -12_050,
            }),
          })
          .meta({ id: "StatementBreak" }),
      )
      .meta({ description: "Where a statement doesn't continue the previous one.", example: [] }),
  })
  .meta({ id: "SourceCoverage" });

export const checklist = z
  .object({
    items: z.array(check).max(CHECKS.length),
    sources: z.array(coverage).max(2).meta({ description: "The left source, then the right one." }),
    sign_off: signOff,
  })
  .meta({ id: "PeriodChecklist" });
export type Checklist = z.output<typeof checklist>;

export const getChecklistContract = contract({
  operationId: "getChecklist",
  method: "GET",
  path: "/v1/reconciliations/{id}/checklist",
  tag,
  summary: "Get the checklist before a close",
  description:
    "Computed now, for the caller. Items that block prevent signing and closing; `checks` " +
    "in the pair's rules sets which ones do.",
  access: needs("read:reconciliations"),
  params: byReconciliation,
  response: checklist,
  resource: "unversioned",
  errors: ["not_found", "conflict"],
});

const note = text(1000)
  .optional()
  .meta({ description: "Kept with the signature.", example: "Fees agree with the contract" });

export const prepareReconciliationContract = contract({
  operationId: "prepareReconciliation",
  method: "POST",
  path: "/v1/reconciliations/{id}/prepare",
  tag,
  summary: "Sign a period as prepared",
  description:
    "Signs that its work is done. A new line, match, undo, exclusion or changed balance " +
    "revokes the signature; `sign_off` then says why. Only people prepare, never API keys.",
  access: needs("prepare:reconciliations"),
  idempotency,
  params: byReconciliation,
  body: z.strictObject({ note }),
  response: reconciliation,
  resource: "versioned",
  errors: ["not_found", "conflict"],
});

export const reviewReconciliationContract = contract({
  operationId: "reviewReconciliation",
  method: "POST",
  path: "/v1/reconciliations/{id}/review",
  tag,
  summary: "Sign a prepared period as reviewed",
  description:
    "At each level, someone other than the preparer and the earlier reviewers, by the " +
    "issuer and subject of their tokens. `review_levels` in the pair's rules sets how many " +
    "levels a close needs.",
  access: needs("close:reconciliations"),
  idempotency,
  params: byReconciliation,
  body: z.strictObject({ note }),
  response: reconciliation,
  resource: "versioned",
  errors: ["not_found", "conflict"],
});

export const returnReconciliationContract = contract({
  operationId: "returnReconciliation",
  method: "POST",
  path: "/v1/reconciliations/{id}/return",
  tag,
  summary: "Send a signed period back",
  description: "Revokes its signatures, which are kept with the reason.",
  access: needs("close:reconciliations"),
  idempotency,
  params: byReconciliation,
  body: z.strictObject({
    reason: text(1000).meta({ example: "The fee of 14 October has no evidence" }),
  }),
  response: reconciliation,
  resource: "versioned",
  errors: ["not_found", "conflict"],
});
