import { z } from "zod";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { actor, id, page, pageQuery, time } from "../../wire/schema.ts";
import {
  byReconciliation,
  currency,
  idempotency,
  lineId,
  method,
  reconciliationId,
  sum,
  tag,
} from "../contract.ts";
import { policy, rules } from "../rules/contract.ts";

export const RUN_STATUSES = ["queued", "running", "done", "failed"] as const;

const count = z.int().min(0);
const status = z.enum(RUN_STATUSES).meta({ example: "done" });

export const STEP_KINDS = ["rule", "people", "excluded"] as const;

const step = z.object({
  // The default is for runs from before there were other kinds.
  kind: z.enum(STEP_KINDS).default("rule").meta({
    description: "people: matched or confirmed by people. excluded: excluded by people.",
    example: "rule",
  }),
  rule: method.meta({
    description: "The rule's name; for the other kinds manual and excluded.",
    example: "Same reference",
  }),
  matches: count.meta({ example: 4812 }),
  suggested: count.meta({ example: 0 }),
  left_lines: count.meta({
    description:
      "Fully matched lines, at the first step that matched part of them. With the open " +
      "lines, they are all lines of the period.",
    example: 4812,
  }),
  right_lines: count.meta({ example: 4812 }),
  amounts: z.array(z.object({ currency, left_minor: sum, right_minor: sum })),
});

const difference = z.object({
  matches: count.meta({ example: 12 }),
  amounts: z.array(z.object({ currency, amount_minor: sum })),
});

const impact = z
  .object({
    newly_matched: difference,
    no_longer_matched: difference,
    changed: difference.meta({
      description: "The same lines with another rule or other amounts.",
    }),
    exceptions: z.object({
      avoided: count.meta({
        description: "Exceptions of lines that would now match; for a closed period, past ones.",
        example: 4,
      }),
      added: count.meta({
        description: "Exceptions of lines that would stay open past the grace period.",
        example: 0,
      }),
    }),
    samples: z
      .array(
        z.object({
          change: z
            .enum(["newly_matched", "no_longer_matched", "changed"])
            .meta({ example: "newly_matched" }),
          rule: method,
          line_ids: z.array(lineId),
          currency,
          amount_minor: z.int().meta({ example: 125000 }),
        }),
      )
      .meta({ description: "At most 20." }),
  })
  .meta({ id: "RunImpact" });

export const run = z
  .object({
    id: id("run"),
    reconciliation_id: reconciliationId,
    status,
    dry_run: z.boolean().meta({ example: false }),
    stage: z.string().nullable().meta({
      description: "The current step, or the name of the rule that is being applied.",
      example: null,
    }),
    lines_done: count.meta({ example: 10_000 }),
    lines_total: count.meta({ description: "Lines that it considers.", example: 10_000 }),
    waterfall: z.array(step).meta({
      description:
        "Where the period's lines are: matched by each rule in order, then by people, then " +
        "excluded. As the run left them, or as the period closed. For a dry run: what its " +
        "rules would match.",
    }),
    changed: z
      .object({ added: count, kept: count, replaced: count, undone: count, left_out: count })
      .nullable()
      .meta({
        description: "Matches that the run created, found again and removed.",
        example: { added: 4812, kept: 0, replaced: 0, undone: 0, left_out: 0 },
      }),
    impact: impact
      .nullable()
      .meta({ description: "For a finished dry run: what it would change." }),
    suggested_count: count.meta({ example: 31 }),
    open_count: count.meta({ description: "Open lines of both sides.", example: 67 }),
    exceptions_opened: count.meta({ example: 9 }),
    exceptions_held_back: count.meta({
      description: "Exceptions beyond the run's limit, left for the next run.",
      example: 0,
    }),
    rules_version: z.int().nullable().meta({ description: "0: the defaults.", example: 3 }),
    calendar_id: id("cal").nullable().meta({
      description: "The calendar of its business days. Null: Monday to Friday.",
      example: null,
    }),
    calendar_version: z
      .int()
      .nullable()
      .meta({ description: "The version of the calendar.", example: null }),
    engine_version: z.string().nullable().meta({ example: "1.0.0" }),
    digest: z.string().nullable().meta({
      description:
        "After a full run, the same lines, rules, decisions and calendar version give the same digest.",
      example: "1.0.0:5f3c0a9be2c04d6f8a1b3c5d7e9f0a2b",
    }),
    failure: z.string().nullable().meta({ example: null }),
    duration_ms: z.int().nullable().meta({ description: "How long it took.", example: 840 }),
    created_at: time,
    created_by: actor,
    started_at: time.nullable(),
    finished_at: time.nullable(),
  })
  .meta({ id: "Run" });
export type Run = z.output<typeof run>;

export const createRunContract = contract({
  operationId: "createRun",
  method: "POST",
  path: "/v1/reconciliations/{id}/runs",
  tag,
  summary: "Run the rules",
  description:
    "Runs of one pair of sources take turns, and wait while the reconciliation is " +
    "preparing. If a run of this period is already waiting, it is returned. If nothing has " +
    "changed since the last run, it ends at once with the same result. With dry_run nothing " +
    "is saved: the run's impact shows what it would change, with other rules if you send " +
    "them. A dry run of a closed period uses the lines that the period had.",
  access: needs("write:reconciliations"),
  idempotency,
  params: byReconciliation,
  body: z
    .strictObject({
      dry_run: z.boolean().default(false).meta({ example: false }),
      rules: rules.optional(),
      fees: policy.fees.optional(),
      calendar_id: policy.calendar_id.optional(),
    })
    .refine((body) => body.dry_run || body.rules === undefined, {
      path: ["rules"],
      error: "Other rules are for a dry run.",
    })
    .refine((body) => body.dry_run || body.fees === undefined, {
      path: ["fees"],
      error: "Another treatment of fees is for a dry run.",
    })
    .refine((body) => body.dry_run || body.calendar_id === undefined, {
      path: ["calendar_id"],
      error: "Another calendar is for a dry run.",
    }),
  response: run,
  status: 202,
  dryRun: "asked",
  errors: ["not_found", "conflict"],
});

export const listRunsContract = contract({
  operationId: "listRuns",
  method: "GET",
  path: "/v1/reconciliations/{id}/runs",
  tag,
  summary: "List a period's runs, newest first",
  access: needs("read:reconciliations"),
  params: byReconciliation,
  query: z.strictObject({ ...pageQuery, status: status.optional() }),
  response: page(run),
  errors: ["not_found", "conflict"],
});

export const getRunContract = contract({
  operationId: "getRun",
  method: "GET",
  path: "/v1/runs/{id}",
  tag,
  summary: "Get a run",
  access: needs("read:reconciliations"),
  params: z.strictObject({ id: id("run") }),
  response: run,
  resource: "unversioned",
});
