/** The link of each number of the overview: to exactly the rows that it counts. */

type Query = Record<string, string | undefined>;

function address(tenant: string, path: string, query: Query = {}): string {
  const present = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const text = new URLSearchParams(present).toString();
  return `/${tenant}/${path}${text && `?${text}`}`;
}

/** The open exceptions with these filters of the board, breached ones included. */
export function openExceptions(tenant: string, filters: Query = {}): string {
  return address(tenant, "exceptions", {
    ...filters,
    ...(filters.breach_risk === undefined && { breached: "true" }),
  });
}

/** Those not breached yet whose deadline comes before a moment. */
export function dueExceptions(tenant: string, due_before: string, filters: Query = {}): string {
  return openExceptions(tenant, { ...filters, breach_risk: "high,medium,low", due_before });
}

/** Exceptions that breached or were closed in a period, by default until now. */
export function pastExceptions(
  tenant: string,
  what: "breached" | "closed",
  from: string,
  before?: string,
): string {
  return address(tenant, "exceptions", {
    state: "all",
    [`${what}_from`]: from,
    [`${what}_before`]: before,
  });
}

export function oneException(tenant: string, id: string): string {
  return address(tenant, "exceptions", { exception: id });
}

export function importOf(tenant: string, sourceId: string, id: string): string {
  return address(tenant, `sources/${sourceId}`, { import: id });
}

export function linesOfImport(tenant: string, id: string): string {
  return address(tenant, "lines", { import_id: id });
}

export function apiKey(tenant: string, id: string): string {
  return address(tenant, "api-keys", { key: id });
}

/**
 * The calls that an API key made in a period, without those that only named it; and the refused
 * ones among them.
 */
export function callsOf(
  tenant: string,
  apiKeyId: string,
  from: string,
  to: string,
  status?: "refused",
): string {
  return address(tenant, "requests", { actor: `api_key:${apiKeyId}`, status, from, to });
}

export function webhooksOf(tenant: string, status: "active" | "disabled"): string {
  return address(tenant, "webhooks", { status });
}
