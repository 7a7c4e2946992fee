import { z } from "zod";
import {
  DAY_KINDS,
  MAX_DAYS,
  MAX_GROUP_SIZE,
  MAX_NAMES,
  MAX_RULES,
  MAX_TOLERANCE_BPS,
  OUTCOMES,
  RESIDUALS,
  RULE_FIELDS,
  RULE_KINDS,
} from "../../../engine/rules.ts";
import { SEVERITIES } from "../../exceptions/contract.ts";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { actor, id, text, time, userReference } from "../../wire/schema.ts";
import { byReconciliation, tag } from "../contract.ts";
import { CHECK_WEIGHTS, type POLICY_CHECKS } from "../sign-off/contract.ts";

export const AUTOMATIC = ["suggest_only", "earned", "always"] as const;
export const FEES = ["deduct", "ignore"] as const;

const days = z.int().min(0).max(MAX_DAYS);

const rule = z
  .strictObject({
    name: text(100).meta({
      description: "The name of the rule in matches. Each name once.",
      example: "Same reference",
    }),
    kind: z.enum(RULE_KINDS).meta({ example: "exact" }),
    on: z
      .array(z.enum(RULE_FIELDS))
      .max(RULE_FIELDS.length)
      .refine((fields) => new Set(fields).size === fields.length, "Name each field once.")
      .optional()
      .meta({
        description:
          "Fields that have the same value on all lines of a match, besides amount and currency.",
        example: ["reference"],
      }),
    amount_tolerance_minor: z.int().min(0).optional().meta({ example: 500 }),
    amount_tolerance_bps: z
      .int()
      .min(0)
      .max(MAX_TOLERANCE_BPS)
      .optional()
      .meta({ description: "In basis points of the larger amount.", example: 50 }),
    days_before: days.optional().meta({
      description: "How many days before the left line the right line may be dated.",
      example: 3,
    }),
    days_after: days.optional().meta({ example: 5 }),
    day_kind: z
      .enum(DAY_KINDS)
      .optional()
      .meta({
        description:
          "What days_before and days_after count. " +
          "business: days on which the calendar of calendar_id opens.",
        example: "business",
      }),
    max_group_size: z.int().min(2).max(MAX_GROUP_SIZE).optional().meta({
      description: "The maximum number of lines that a search for sums combines.",
      example: 8,
    }),
    residual: z.enum(RESIDUALS).optional().meta({
      description:
        "keep: the match keeps the difference. none: the rest of the larger line stays open.",
      example: "keep",
    }),
    // Whether the rule only suggests, or also matches what is certain.
    then: z.enum(OUTCOMES).meta({ example: "match" }),
  })
  .meta({ id: "MatchingRule" });

export const rules = z
  .array(rule)
  .min(1)
  .max(MAX_RULES)
  .refine(
    (list) => new Set(list.map(({ name }) => name)).size === list.length,
    "Give each rule a different name.",
  )
  .refine(
    (list) => list.every(({ name }) => name !== "manual"),
    "manual is what matches by hand are called.",
  )
  .meta({
    example: [
      {
        name: "Same reference",
        kind: "exact",
        on: ["reference"],
        days_before: 3,
        days_after: 5,
        then: "match",
      },
    ],
  });

const exceptionPolicy = z
  .strictObject({
    assigned_to: userReference
      .nullable()
      .meta({ description: "Who gets the exceptions of this pair of sources." }),
    severities: z
      .array(
        z.strictObject({
          from_minor: z.int().min(0).meta({ example: 100_000 }),
          severity: z.enum(SEVERITIES),
        }),
      )
      .min(1)
      .max(10)
      .refine(
        (bands) =>
          bands[0]?.from_minor === 0 &&
          bands.every((band, at) => at === 0 || band.from_minor > (bands[at - 1]?.from_minor ?? 0)),
        "Begin with from_minor 0, and let each be greater than the one before.",
      )
      .meta({
        description: "Severity by amount at risk.",
        example: [{ from_minor: 0, severity: "low" }],
      }),
    most_a_run: z
      .int()
      .min(0)
      .max(10_000)
      .meta({ description: "The maximum number of exceptions that one run opens.", example: 1000 }),
  })
  .meta({ id: "LineExceptionPolicy" });

const weight = z.enum(CHECK_WEIGHTS).default("warn").meta({ example: "warn" });

export const policy = {
  automatic: z.enum(AUTOMATIC).meta({
    description:
      "Whether score rules and searches for sums match automatically: never, always, or " +
      "once people's decisions have shown them to be right (earned).",
    example: "earned",
  }),
  fees: z.enum(FEES).meta({
    description:
      "deduct: a line matches with its amount less its fee, and the match has the fee as an " +
      "adjustment. ignore: it matches with its full amount, as gross orders do.",
    example: "deduct",
  }),
  four_eyes: z.boolean().meta({
    description:
      "Someone who made manual matches or write-offs, excluded or undid in a period can't " +
      "close it. Only a tenant_admin can turn this off, for periods opened from then on.",
    example: false,
  }),
  review_levels: z
    .int()
    .min(0)
    .max(3)
    .meta({
      description:
        "How many other people review a prepared period before it closes. 0: it closes " +
        "without being prepared. Only a tenant_admin can lower it, for periods opened from " +
        "then on.",
      example: 1,
    }),
  close_days: z.int().min(0).max(60).meta({
    description:
      "How many business days after its end a period is due to be closed, by calendar_id.",
    example: 5,
  }),
  checks: z
    .strictObject({
      period_over: weight,
      files: weight,
      balances: weight,
      suggestions: weight,
      exceptions: weight,
      difference: weight,
      evidence: weight,
    } satisfies Record<(typeof POLICY_CHECKS)[number], typeof weight>)
    .meta({
      id: "CheckPolicyInput",
      outputId: "CheckPolicy",
      description: "Which checks of the checklist block signing and closing, warn or are ignored.",
      example: {
        period_over: "block",
        files: "warn",
        balances: "warn",
        suggestions: "warn",
        exceptions: "warn",
        difference: "warn",
        evidence: "warn",
      },
    }),
  evidence_from_minor: z
    .int()
    .min(0)
    .nullable()
    .meta({
      description:
        "A manual match with an adjustment of this amount or more needs evidence, on the " +
        "match or one of its lines. Null: none does.",
      example: 5000,
    }),
  calendar_id: id("cal")
    .nullable()
    .meta({
      description:
        "The calendar whose open days are business days: for rules with " +
        "day_kind business, and for the sources' grace_days. A changed " +
        "calendar makes open periods run again. Null: Monday to Friday.",
      example: null,
    }),
  exceptions: exceptionPolicy,
};

const knownName = {
  left: z
    .string()
    .meta({ description: "The name on the left side.", example: "Blue Bottle Coffee" }),
  right: z.string().meta({
    description: "The name on the right side, without words that contain digits.",
    example: "CARD SQ BLUEBTL SFO",
  }),
};

export const learnt = z
  .object({
    confirmed: z.int().meta({ example: 212 }),
    rejected: z.int().meta({ example: 3 }),
    findings: z.array(
      z.object({
        finding: z.string().meta({ example: "amount: equal" }),
        share: z.number().meta({ example: 0.98 }),
        seen: z.number().meta({ example: 212 }),
      }),
    ),
    track_record: z.object({
      decided: z.int().meta({ example: 120 }),
      precision: z.number().nullable().meta({ example: 1 }),
      at_least: z
        .number()
        .nullable()
        .meta({ description: "The lower end of its 95 % confidence interval.", example: 0.97 }),
      proven: z.boolean().meta({
        description: "Whether the rule matches automatically with `earned`.",
        example: true,
      }),
    }),
    names: z
      .array(
        z
          .object({ ...knownName, confirmed: z.int().meta({ example: 3 }) })
          .meta({ id: "KnownName" }),
      )
      .max(MAX_NAMES)
      .meta({
        description:
          "Names of one counterparty that share no word, learned from confirmed matches. " +
          "forget_names removes them.",
      }),
  })
  .meta({
    id: "LearntWeights",
    description:
      "What was learned from decisions: the shares of true matches, and pairs of names for " +
      "one counterparty.",
  });

export const ruleSet = z
  .object({
    rules: z.array(rule).meta({
      example: [
        {
          name: "Same reference",
          kind: "exact",
          on: ["reference"],
          days_before: 3,
          days_after: 5,
          then: "match",
        },
      ],
    }),
    version: z.int().meta({ description: "0: the defaults.", example: 3 }),
    ...policy,
    learnt,
    updated_at: time.nullable(),
    updated_by: actor.nullable(),
  })
  .meta({ id: "RuleSet" });
export type RuleSet = z.output<typeof ruleSet>;

export const ruleSetChange = ruleSet
  .extend({
    dry_run: z.boolean().meta({ example: false }),
    run_id: id("run")
      .nullable()
      .meta({ description: "For a dry run: the run whose impact shows what would change." }),
  })
  .meta({ id: "RuleSetChange" });

export const getRulesContract = contract({
  operationId: "getRules",
  method: "GET",
  path: "/v1/reconciliations/{id}/rules",
  tag,
  summary: "Get the rules of a period's sources",
  description: "They belong to the pair of sources. All its open periods use the newest version.",
  access: needs("read:reconciliations"),
  params: byReconciliation,
  response: ruleSet,
  resource: "versioned",
  errors: ["not_found", "conflict"],
});

export const putRulesContract = contract({
  operationId: "putRules",
  method: "PUT",
  path: "/v1/reconciliations/{id}/rules",
  tag,
  summary: "Set the rules of a period's sources",
  description:
    "Creates a new version and runs open periods again with it. Omitted fields, other than " +
    "rules, keep their values. With dry_run nothing is saved: the run's impact shows what " +
    "would newly match, no longer match and change. reset_learning discards what was " +
    "learned, forget_names only single names.",
  access: needs("write:reconciliations"),
  params: byReconciliation,
  body: z.strictObject({
    rules,
    automatic: policy.automatic.optional(),
    fees: policy.fees.optional(),
    four_eyes: policy.four_eyes.optional(),
    review_levels: policy.review_levels.optional(),
    close_days: policy.close_days.optional(),
    checks: policy.checks.optional(),
    evidence_from_minor: policy.evidence_from_minor.optional(),
    calendar_id: policy.calendar_id.optional(),
    exceptions: policy.exceptions.optional(),
    reset_learning: z.boolean().default(false).meta({ example: false }),
    forget_names: z
      .array(
        z.strictObject({
          left: text(100).meta(knownName.left.meta() ?? {}),
          right: text(100).meta(knownName.right.meta() ?? {}),
        }),
      )
      .max(MAX_NAMES)
      .optional()
      .meta({ description: "Pairs in learnt.names that are wrong." }),
    dry_run: z.boolean().default(false).meta({ example: false }),
  }),
  response: ruleSetChange,
  resource: "versioned",
  dryRun: "asked",
  errors: ["not_found", "conflict"],
});
