import type { Problems } from "#components/kit/problems.ts";
import { formatMoney, parseMoney } from "#components/ui/money.ts";
import { urlFault, type Webhook, type WebhookFilters } from "#lib/webhooks/contract.ts";
import { CURRENCIES } from "#lib/wire/currencies.ts";
import { WEBHOOKS } from "#lib/wire/facts.gen.ts";
import { headerNameFault, headerValueFault } from "#lib/wire/receiver-headers.ts";

type Severity = NonNullable<WebhookFilters["severity"]>[number];
type Currency = NonNullable<WebhookFilters["amount"]>["currency"];

/** Filters as typed: assignees are separated by commas. */
export type FiltersDraft = {
  severity: readonly Severity[];
  assigned_to: string;
  amount: string;
  currency: string;
  source_ids: readonly string[];
  reconciliation_ids: readonly string[];
};

/** Headers, one per line: `Name: value`. A name alone keeps its stored value. */
export type OptionsDraft = {
  filters: FiltersDraft;
  headers: string;
  max_per_minute: string;
  oauth: OauthDraft;
};

/** Without a token URL, no token is requested. An empty secret keeps the stored one. */
export type OauthDraft = {
  token_url: string;
  client_id: string;
  client_secret: string;
  scope: string;
};

export const NO_OPTIONS: OptionsDraft = {
  filters: {
    severity: [],
    assigned_to: "",
    amount: "",
    currency: "EUR",
    source_ids: [],
    reconciliation_ids: [],
  },
  headers: "",
  max_per_minute: "",
  oauth: { token_url: "", client_id: "", client_secret: "", scope: "" },
};

export function optionsOf({
  filters: { severity = [], assigned_to = [], amount, source_ids = [], reconciliation_ids = [] },
  header_names,
  max_per_minute,
  oauth,
}: Webhook): OptionsDraft {
  return {
    filters: {
      severity,
      assigned_to: assigned_to.map((user) => user.replace(/^user:/, "")).join(", "),
      amount: amount ? formatMoney(amount.from_minor, amount.currency).replace(/[^\d.,]/g, "") : "",
      currency: amount?.currency ?? "EUR",
      source_ids,
      reconciliation_ids,
    },
    headers: header_names.map((name) => `${name}:\n`).join(""),
    max_per_minute: max_per_minute === null ? "" : String(max_per_minute),
    oauth: { ...NO_OPTIONS.oauth, ...oauth },
  };
}

export function oauthOf({ token_url, client_id, client_secret, scope }: OauthDraft) {
  if (token_url.trim() === "") return null;
  return {
    token_url: token_url.trim(),
    client_id: client_id.trim(),
    ...(scope.trim() !== "" && { scope: scope.trim() }),
    ...(client_secret !== "" && { client_secret }),
  };
}

/** The filters as in a request body, in a fixed order, so that two can be compared. */
export function filtersOf(draft: FiltersDraft): WebhookFilters {
  const listed = (text: string) => [...new Set(text.split(/[\s,]+/).filter(Boolean))];
  const assigned_to = listed(draft.assigned_to).map((name) =>
    name.startsWith("user:") ? name : `user:${name}`,
  );
  const { source_ids, reconciliation_ids } = draft;
  const from_minor = parseMoney(draft.amount, draft.currency);
  const currency = draft.currency as Currency;
  return {
    ...(draft.severity.length > 0 && { severity: [...draft.severity] }),
    ...(assigned_to.length > 0 && { assigned_to }),
    ...(from_minor !== null && { amount: { currency, from_minor } }),
    ...(source_ids.length > 0 && { source_ids: [...source_ids] }),
    ...(reconciliation_ids.length > 0 && { reconciliation_ids: [...reconciliation_ids] }),
  };
}

export function headersOf(text: string): { name: string; value?: string }[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [name = "", value = ""] = line.split(/:(.*)/s).map((part) => part.trim());
      return value === "" ? { name } : { name, value };
    });
}

export function limitOf(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}

function oauthFault({ token_url, client_id }: OauthDraft): string | null {
  if (token_url.trim() === "") return null;
  if (client_id.trim() === "") return "Enter the client ID.";
  return urlFault(token_url.trim());
}

/** Validates options as far as the browser can. */
export function missingInOptions({
  filters,
  headers,
  max_per_minute,
  oauth,
}: OptionsDraft): Problems {
  const { min, max } = WEBHOOKS.max_per_minute;
  const limit = limitOf(max_per_minute);
  const [headerFault] = headersOf(headers).flatMap(({ name, value }) => [
    ...[headerNameFault(name)].filter((fault) => fault !== null),
    ...(value === undefined ? [] : [headerValueFault(value)].filter((fault) => fault !== null)),
  ]);
  const tokenFault = oauthFault(oauth);
  const hasAmount = filters.amount.trim() !== "";
  const isKnown = CURRENCIES.includes(filters.currency as Currency);
  const isAmount = isKnown && (parseMoney(filters.amount, filters.currency) ?? -1) >= 0;
  return {
    ...(hasAmount &&
      !isAmount && { filters: "Enter an amount and its currency, for example 1,000.00 EUR." }),
    ...(headerFault && { headers: headerFault }),
    ...(tokenFault && { oauth: tokenFault }),
    ...(limit !== null &&
      !(Number.isInteger(limit) && limit >= min && limit <= max) && {
        max_per_minute: `Enter a whole number from ${min} to ${max}.`,
      }),
  };
}

/** The filters in words, except those by source and reconciliation, whose names the page fetches. */
export function describeFilters({ severity, assigned_to, amount }: WebhookFilters): string[] {
  return [
    ...(severity ? [`Severity ${severity.join(" or ")}`] : []),
    ...(assigned_to ? [`Assigned to ${assigned_to.join(" or ").replaceAll("user:", "")}`] : []),
    ...(amount ? [`At least ${formatMoney(amount.from_minor, amount.currency)}`] : []),
  ];
}
