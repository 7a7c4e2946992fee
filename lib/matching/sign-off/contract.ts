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
      description: "How many stand in the way: suggestions, exceptions, days, currencies, matches.",
      example: 4,
    }),
    detail: z.string().meta({
      example: "4 suggestions wait for a decision and move to the next period.",
    }),
  })
  .meta({ id: "PeriodCheck" });
export type PeriodCheck = z.output<typeof check>;

const coverage = z
  .object({
    side,
    name: z.string().meta({ description: "The source's.", example: "Bank" }),
    until: z.iso.date().nullable().meta({
      description: "The last day of which it has a line or a balance.",
      example: "2026-10-30",
    }),
    missing_days: z.int().min(0).meta({
      description:
        "Business days from then to the end of the period, by the calendar of the pair's rules.",
      example: 0,
    }),
    has_balance: z.boolean().meta({
      description: "Whether a balance at the end of the period follows from what was stated.",
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
                "What the next statement opens with beyond the closing balance before it and " +
                "the lines in between.",
              example: -12_050,
            }),
          })
          .meta({ id: "StatementBreak" }),
      )
      .meta({ description: "Where one statement does not follow the one before.", example: [] }),
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
    "Computed now, for the caller. An item that blocks stands in the way of signing and closing; " +
    "`checks` of the pair's rules say which ones do.",
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
    "Says that its work is done. A line that arrives, a match, an undo, an exclusion or another " +
    "balance revokes the signature, and `sign_off` then says why. A person prepares, with " +
    "tenant_admin, tenant_lead or tenant_analyst.",
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
    "Each level is another person than the preparer and the reviewers " +
    "before, by the issuer and subject of their tokens. `review_levels` " +
    "of the pair's rules says how many levels a close needs.",
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
  summary: "Return a signed period to work",
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
