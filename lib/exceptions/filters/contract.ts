/**
 * The filters of exceptions, the same in every list, count and bulk change. Safe in the browser.
 */
import { z } from "zod";
import { CURRENCIES } from "../../wire/currencies.ts";
import { BREACH_RISKS, EXCEPTIONS, OPEN_EXCEPTION_STATUSES } from "../../wire/facts.gen.ts";
import {
  idPattern,
  isVisible,
  queryChoices,
  queryInteger,
  queryList,
  searchedText,
  text,
  timestamp,
  USER_REFERENCE,
} from "../../wire/schema.ts";

/** Matches exceptions without an assignee, reconciliation or currency. */
export const NONE = "none";
/** Matches exceptions assigned to the caller. */
export const ME = "me";

const RECONCILIATION = idPattern("rcn");
const currencies: readonly string[] = CURRENCIES;

const VALUES_MAX = 20;
const VALUE_MAX = 130;

/** How a filter is documented in the query of a list. */
type Documented = { description: string; example: string[] };

/** A filter by a field with fixed values. `saved` are those that open exceptions can have. */
function choices<const Value extends string>(
  values: readonly Value[],
  documented: Documented,
  saved: readonly Value[] = values,
) {
  const known: readonly string[] = values;
  return {
    isValue: (value: string): value is Value => known.includes(value),
    hasNone: false,
    query: queryChoices(values).optional().meta(documented),
    saved: z.array(z.enum(saved)).min(1).max(saved.length).optional(),
  };
}

/** A filter by a field with any values. `saved` is one value in a body. */
function values(
  isValue: (value: string) => value is string,
  written: Omit<Parameters<typeof queryList>[1], "choices">,
  documented: Documented,
  saved: z.ZodType<string>,
  hasNone = false,
) {
  return {
    isValue,
    hasNone,
    query: queryList(isValue, written).meta(documented).optional(),
    saved: z.array(saved).min(1).max(VALUES_MAX).optional(),
  };
}

const savedText = (pattern: RegExp, message: string) =>
  z.string().max(VALUE_MAX).regex(pattern, message);

/**
 * The filters that take several values and have counts, each declared once: queries, bodies, the
 * board and the SQL functions are derived from it. With `hasNone`, `none` matches null. A list
 * reads several values of the first filter that has an index by deadline as one range each, so the
 * most selective ones come first. breach_risk is the first of all: sla_facets.sql relies on it.
 */
export const FACETS = {
  breach_risk: choices([...BREACH_RISKS, "at_risk"], {
    description: "Risks. at_risk matches high and medium, as at_risk_count does.",
    example: ["at_risk"],
  }),
  status: choices(
    EXCEPTIONS.status,
    { description: "Statuses.", example: ["resolved", "dismissed"] },
    OPEN_EXCEPTION_STATUSES,
  ),
  assigned_to: values(
    (value): value is string =>
      value === NONE ||
      value === ME ||
      (USER_REFERENCE.test(value) && isVisible(value.slice("user:".length))),
    // Names can contain commas, so a comma only separates values if another value follows.
    {
      form: "none|me|user:[^\\s,]{1,120}",
      what: "user:<name>, none or me",
      separator: /,(?=user:|(?:none|me)(?:,|$))/,
    },
    {
      description: "Assignees. `me` is the caller, `none` is unassigned.",
      example: ["me", "none"],
    },
    savedText(/^(?:none|me|user:[^\s]{1,120})$/u, "Must be user:<name>, none or me."),
    true,
  ),
  reconciliation_id: values(
    (value): value is string => value === NONE || RECONCILIATION.test(value),
    { form: "none|rcn_[0-9a-z]{20,40}", what: "an ID (rcn_…) or none" },
    {
      description: "Reconciliations. `none`: exceptions without one.",
      example: ["rcn_019a9f4be2c04d6f8a1b3c5d7e9f0a2b"],
    },
    savedText(/^(?:none|rcn_[0-9a-z]{20,40})$/, "Must be an ID (rcn_…) or none."),
    true,
  ),
  reason_code: values(
    (value): value is string =>
      value.length > 0 && value.length <= EXCEPTIONS.reason_code.max && isVisible(value),
    // A comma inside a code is written \,
    {
      what: `a reason code of at most ${EXCEPTIONS.reason_code.max} characters`,
      separator: /(?<!\\),/,
      read: (value) => value.replaceAll("\\,", ","),
    },
    {
      description: "Reason codes. Write a comma within a code as `\\,`.",
      example: ["missing_counterpart", "fee"],
    },
    text(EXCEPTIONS.reason_code.max),
  ),
  severity: choices(EXCEPTIONS.severity, {
    description: "Severities.",
    example: ["critical", "high"],
  }),
  currency: values(
    (value): value is string => value === NONE || currencies.includes(value),
    { form: "none|[A-Z]{3}", what: "an ISO 4217 code, for example EUR, or none" },
    {
      description:
        "Currencies of the money at risk as ISO 4217 codes. `none`: exceptions without an " +
        "amount.",
      example: ["EUR", "USD"],
    },
    savedText(/^(?:none|[A-Z]{3})$/, "Must be an ISO 4217 code, for example EUR, or none."),
    true,
  ),
};

/** A filter that takes several values, each with a count. */
export type Facet = keyof typeof FACETS;
export const FACET_NAMES = Object.keys(FACETS) as Facet[];

/** A part of each filter's declaration, by the filter's name. */
function ofFacets<Part extends "query" | "saved">(part: Part) {
  return Object.fromEntries(FACET_NAMES.map((name) => [name, FACETS[name][part]])) as {
    [Name in Facet]: (typeof FACETS)[Name][Part];
  };
}

const { status: byStatus, breach_risk: byRisk, ...fieldFilters } = ofFacets("query");

const updatedSince = timestamp.optional().meta({
  description:
    "Only exceptions changed at or after this time. Ask from a minute before your last " +
    "call: a change appears when it is committed.",
  example: "2026-11-20T00:00:00.000Z",
});

const moment = (description: string) =>
  timestamp.optional().meta({ description, example: "2026-11-20T00:00:00.000Z" });

/** The filters of exceptions of any status. */
export const exceptionFilters = {
  ...fieldFilters,
  amount_from: queryInteger(0)
    .optional()
    .meta({ description: "Only amounts from this on, in minor units.", example: 100_000 }),
  due_before: timestamp.optional().meta({
    description: "Only deadlines before this time. Paused exceptions have none.",
    example: "2026-11-20T18:00:00.000Z",
  }),
  breached_from: moment(
    "Only exceptions that breached at or after this time, whatever their deadline is now.",
  ),
  breached_before: moment("Only exceptions that breached before this time."),
  closed_from: moment(
    "Only exceptions resolved or dismissed at or after this time, even if reopened since.",
  ),
  closed_before: moment("Only exceptions resolved or dismissed before this time."),
  q: searchedText.optional().meta({
    description:
      "Text search, up to 12 words: each must appear in the title or reason_code. A word that " +
      "starts with exc_ must start the ID.",
    example: "payout 4711",
  }),
};

/** The filter by any status. */
export const anyStatus = byStatus;

/** The filters by deadline, which only open exceptions have. */
const deadlineFilters = {
  withinMinutes: queryInteger(0).optional().meta({
    description: "Only exceptions at most this many minutes from breach, including breached ones.",
    example: 60,
  }),
  breach_risk: byRisk,
};

/** The filters of open exceptions. */
export const slaFilters = {
  ...exceptionFilters,
  ...deadlineFilters,
  status: queryChoices(OPEN_EXCEPTION_STATUSES)
    .optional()
    .meta({ description: "Statuses.", example: ["in_review"] }),
};

/** The filters of a list of all exceptions by last change or urgency. */
export const recentFilters = { ...deadlineFilters, updated_since: updatedSince };

/** The filters of open exceptions in a body, each with a list of values. */
export const savedFilters = z
  .strictObject({
    ...ofFacets("saved"),
    amount_from: z
      .int()
      .min(0)
      .optional()
      .meta({ description: "Only amounts from this on, in minor units." }),
    due_before: timestamp.optional().meta({ description: "Only deadlines before this time." }),
    q: searchedText.optional(),
  })
  .meta({
    id: "ExceptionFilters",
    example: { severity: ["critical", "high"], assigned_to: ["me"] },
  });
export type SavedFilters = z.output<typeof savedFilters>;

/** The filters with the names that the database expects. */
export function filterInput<Query extends { withinMinutes?: number | undefined }>({
  withinMinutes,
  ...filters
}: Query) {
  return { ...filters, within_minutes: withinMinutes };
}
