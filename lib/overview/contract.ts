import { z } from "zod";
import { slaItem, slaSummary } from "../exceptions/contract.ts";
import { IMPORT_STATUSES } from "../imports/contract.ts";
import { sum } from "../matching/contract.ts";
import { RUN_STATUSES } from "../matching/runs/contract.ts";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { WEBHOOKS } from "../wire/facts.gen.ts";
import { id, time } from "../wire/schema.ts";

const count = z.int().min(0);
const currency = z.string().meta({ example: "EUR" });
const name = z.string();

export const overview = z
  .object({
    as_of: time,
    summary: slaSummary,
    mine: z.object({ breached_count: count, due_count: count, open_count: count }).meta({
      description: "Assigned to you. due: by the last hour of the outlook.",
      example: { breached_count: 1, due_count: 4, open_count: 20 },
    }),
    unassigned_count: count,
    next: z.array(slaItem).meta({ description: "The 5 that breach next." }),
    my_next: z
      .array(slaItem)
      .meta({ description: "Your 5 with the earliest deadlines, breached ones included." }),
    money: z
      .array(
        z.object({
          currency,
          open_count: count,
          open_minor: sum,
          breached_count: count,
          breached_minor: sum,
          due_count: count,
          due_minor: sum,
        }),
      )
      .meta({
        description:
          "Money at risk in open exceptions, by currency. due: by the last hour of the " +
          "outlook.",
      }),
    outlook: z
      .object({
        rate_since: time.meta({ description: "The start of the hour 8 hours ago." }),
        closed_count: count.meta({ description: "Exceptions resolved or dismissed since then." }),
        closed_per_hour: z.number().min(0).meta({
          description: "closed_count divided by the time since rate_since.",
          example: 2.5,
        }),
        hours: z.array(z.object({ due_before: time, due_count: count })).meta({
          description:
            "This hour and the next 8: how many deadlines fall into each, without breached " +
            "ones.",
        }),
      })
      .meta({ description: "Upcoming deadlines, and how fast exceptions are closed." }),
    days: z
      .array(
        z.object({
          day: z.iso.date().meta({ example: "2026-11-20" }),
          breached_count: count,
          closed_count: count,
        }),
      )
      .meta({
        description:
          "30 days (UTC): exceptions that breached, and that were resolved or dismissed. Each " +
          "at most once a day.",
      }),
    reconciliations: z
      .array(
        z.object({
          id: id("rcn"),
          name: name.meta({ example: "Stripe payouts to bank" }),
          open_count: count,
          money: z.array(z.object({ currency, open_count: count, open_minor: sum })),
        }),
      )
      .meta({ description: "The 8 with the most open exceptions." }),
    imports: z
      .array(
        z.object({
          id: id("imp"),
          source_id: id("src"),
          source_name: name.meta({ example: "Deutsche Bank EUR" }),
          file_name: z.string().nullable().meta({ example: "statement.xml" }),
          status: z.enum(IMPORT_STATUSES),
          accepted_count: count,
          refused_count: count,
          created_at: time,
        }),
      )
      .meta({ description: "The last 5." }),
    runs: z
      .array(
        z.object({
          id: id("run"),
          reconciliation_id: id("rcn"),
          reconciliation_name: name.meta({ example: "Stripe payouts to bank" }),
          status: z.enum(RUN_STATUSES),
          suggested_count: count,
          open_count: count,
          exceptions_opened: count,
          created_at: time,
        }),
      )
      .meta({ description: "The last 5, without dry runs." }),
    keys: z
      .object({
        since: time.meta({ description: "The start of the first of 7 days (UTC)." }),
        calls: z
          .array(
            z.object({
              id: id("key"),
              name: name.meta({ example: "Nightly export" }),
              call_count: count,
              refused_count: count,
            }),
          )
          .meta({ description: "The 5 keys with the most calls since then." }),
        expiring: z
          .array(
            z.object({
              id: id("key"),
              name: name.meta({ example: "Nightly export" }),
              expires_at: time,
            }),
          )
          .meta({ description: "The first 5 keys that expire within 14 days." }),
      })
      .nullable()
      .meta({ description: "Null unless you can read API keys." }),
    webhooks: z
      .object({
        active_count: count,
        disabled_count: count,
        items: z
          .array(
            z.object({
              id: id("whk"),
              url: z.string().meta({ example: "https://example.com/hooks" }),
              status: z.enum(WEBHOOKS.status),
              failing_since: time.nullable().meta({ example: null }),
              attempt_count: count,
              failure_count: count,
            }),
          )
          .meta({ description: "The first 5, failing ones first. Attempts of the last 24 hours." }),
      })
      .nullable()
      .meta({ description: "Null unless you can read webhooks." }),
  })
  .meta({ id: "Overview" });
export type Overview = z.output<typeof overview>;

export const getOverviewContract = contract({
  operationId: "getOverview",
  audience: "dashboard",
  method: "GET",
  path: "/v1/overview",
  tag: "Tenant",
  summary: "Get the overview of a tenant: deadlines, money, imports, keys and webhooks",
  description:
    "What the dashboard's home page shows. Sums come from counters, so it is just as fast " +
    "with a million exceptions.",
  access: needs("read:overview"),
  response: overview,
});
