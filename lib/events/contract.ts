import { z } from "zod";
import { apiKey } from "../api-keys/contract.ts";
import { connection } from "../connections/contract.ts";
import { entryBatch } from "../entries/contract.ts";
import { comment } from "../exceptions/comments/contract.ts";
import { exception } from "../exceptions/contract.ts";
import { THRESHOLD_KINDS } from "../exceptions/sla/contract.ts";
import { imported } from "../imports/contract.ts";
import { match } from "../matching/contract.ts";
import { run } from "../matching/runs/contract.ts";
import { reconciliation } from "../reconciliations/contract.ts";
import type { Permission } from "../wire/access.ts";
import type { EventKind } from "../wire/event-kinds.ts";
import { WEBHOOKS } from "../wire/facts.gen.ts";
import { actor, id, time } from "../wire/schema.ts";

const changes = z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })).meta({
  description: "The fields that changed.",
  example: { status: { from: "in_review", to: "resolved" } },
});
const aboutException = z.object({ exception });
const dueAt = time.meta({ description: "The deadline this event is about." });

const keyEvent = apiKey.pick({ id: true, name: true, key_id: true });
const webhookId = id("whk");
const url = z.string().meta({ example: "https://hooks.example.com/events" });

/**
 * Each kind: when it is sent, the permission to read its `data`, and the data's schema. Registering
 * for a kind requires that permission.
 */
export const EVENTS = {
  "exception.sla.at_risk": {
    summary: "An exception is close to its deadline",
    reads: "read:exceptions",
    data: aboutException.extend({
      due_at: dueAt,
      threshold_minutes: z
        .int()
        .min(1)
        .meta({ description: "The threshold crossed, in minutes before due_at.", example: 240 }),
      threshold_kind: z.enum(THRESHOLD_KINDS).meta({
        description:
          "What both thresholds count: all minutes, or open minutes of the exception's " +
          "calendar.",
        example: "wall_clock",
      }),
      next_threshold_minutes: z
        .int()
        .min(0)
        .nullable()
        .meta({ description: "The next threshold. 0 is the breach.", example: 60 }),
    }),
  },
  "exception.sla.breached": {
    summary: "An exception passed its deadline",
    reads: "read:exceptions",
    data: aboutException.extend({ due_at: dueAt }),
  },
  "exception.created": {
    summary: "An exception was created. Lines in the same suggestion share one",
    reads: "read:exceptions",
    data: aboutException,
  },
  "exception.updated": {
    summary: "An exception was edited or reopened, or a run linked it to other lines",
    reads: "read:exceptions",
    data: aboutException.extend({ changes }),
  },
  "exception.resolved": {
    summary: "An exception was resolved, dismissed or merged",
    reads: "read:exceptions",
    data: aboutException.extend({ changes }),
  },
  "exception.paused": {
    summary: "An exception's clock was paused",
    reads: "read:exceptions",
    data: aboutException.extend({ changes }),
  },
  "exception.resumed": {
    summary: "An exception's clock was resumed by a person, a rule or the end of its pause",
    reads: "read:exceptions",
    data: aboutException.extend({ changes }),
  },
  "exception.commented": {
    summary: "Someone commented on an exception",
    reads: "read:exceptions",
    data: aboutException.extend({ comment }),
  },
  "run.done": {
    summary: "A run of the rules is done, or failed",
    reads: "read:reconciliations",
    data: z.object({ run }),
  },
  "match.undone": {
    summary: "A match was undone by a person or replaced by a run",
    reads: "read:reconciliations",
    data: z.object({
      match: match
        .pick({
          id: true,
          reconciliation_id: true,
          shape: true,
          method: true,
          currency: true,
          amount_minor: true,
          residual_minor: true,
        })
        .extend({ line_ids: z.array(id("lin")) }),
      undone_by: actor,
    }),
  },
  "reconciliation.prepared": {
    summary: "A period was signed as prepared",
    reads: "read:reconciliations",
    data: z.object({ reconciliation }),
  },
  "reconciliation.reviewed": {
    summary: "A prepared period was reviewed and signed",
    reads: "read:reconciliations",
    data: z.object({ reconciliation }),
  },
  "reconciliation.closed": {
    summary: "A period was closed",
    reads: "read:reconciliations",
    data: z.object({ reconciliation }),
  },
  "reconciliation.reopened": {
    summary: "A closed period was reopened",
    reads: "read:reconciliations",
    data: z.object({
      reconciliation,
      reason: z.string().meta({ example: "A statement page was missing" }),
    }),
  },
  "entries.ready": {
    summary: "A close left a batch of entries for the ledger",
    reads: "read:reconciliations",
    data: z.object({ batch: entryBatch }),
  },
  "books.differ": {
    summary: "A recount doesn't agree with a reconciliation's totals",
    reads: "read:reconciliations",
    data: z.object({
      reconciliation_ids: z
        .array(id("rcn"))
        .max(100)
        .meta({ description: "The periods of the pair, newest first." }),
      difference_count: z.int().min(1).meta({ example: 1 }),
      differences: z
        .array(
          z.object({
            what: z.string().max(100).meta({ example: "open" }),
            subject: z.string().max(200).meta({
              description: "The line, match or period.",
              example: "lin_019a9f4be2c04d6f8a1b3c5d7e9f0a2b",
            }),
            computed: z
              .string()
              .max(200)
              .nullable()
              .meta({ example: "1250 of 1250 EUR on 2026-10-05, left" }),
            shown: z
              .string()
              .max(200)
              .nullable()
              .meta({ example: "0 of 1250 EUR on 2026-10-05, left" }),
          }),
        )
        .max(20)
        .meta({ description: "The first 20." }),
    }),
  },
  "import.done": {
    summary: "An import was read, or failed",
    reads: "read:reconciliations",
    data: z.object({ import: imported.omit({ refusals: true, skips: true, statements: true }) }),
  },
  "connection.failing": {
    summary: "A connection or one of its files fails. Sent once until it works again",
    reads: "read:reconciliations",
    data: z.object({ connection }),
  },
  "api_key.expiring": {
    summary: "An API key expires within 14, 3 or 1 days",
    reads: "read:api-keys",
    data: keyEvent.extend({ expires_at: time, days_before: z.int().meta({ example: 14 }) }),
  },
  "api_key.revoked": {
    summary: "An API key was revoked",
    reads: "read:api-keys",
    data: keyEvent.extend({
      revoked_at: time,
      revoked_by: actor,
      reason: z.string().nullable().meta({ example: "Decommissioned." }),
    }),
  },
  "webhook.failing": {
    summary: "Another webhook is failing and will be disabled in two days or one day",
    reads: "read:webhooks",
    data: z.object({
      id: webhookId,
      url,
      failing_since: time,
      disable_at: time,
      detail: z.string().meta({ example: "The receiver responded with 500." }),
    }),
  },
  "webhook.disabled": {
    summary: "Another webhook was disabled",
    reads: "read:webhooks",
    data: z.object({
      id: webhookId,
      url,
      reason: z.enum(WEBHOOKS.disabled_reason),
      detail: z
        .string()
        .nullable()
        .meta({ example: "The receiver responded with 410 Gone: it wants no more events." }),
      disabled_at: time,
      disabled_by: actor,
    }),
  },
  "webhook.test": {
    summary: "A test was requested. Sent to that webhook regardless of its subscriptions",
    reads: "read:webhooks",
    data: z.object({
      id: webhookId,
      message: z.string().meta({ example: "It works." }),
      sent_by: actor,
    }),
  },
} as const satisfies Record<EventKind, { summary: string; reads: Permission; data: z.ZodObject }>;
