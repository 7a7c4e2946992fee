type Narrowed = {
  side?: "left" | "right";
  state?: "matched" | "excluded" | "outstanding";
  currency?: string;
  date_from?: string;
  date_to?: string;
};

/** The page that lists exactly these lines of a period. */
export function periodLines(
  tenant: string,
  reconciliation_id: string,
  narrowed: Narrowed = {},
): string {
  return `/${tenant}/lines?${new URLSearchParams({ reconciliation_id, ...narrowed })}`;
}

/** The panel of a line of a period. */
export function lineOfPeriod(tenant: string, reconciliation_id: string, line: string): string {
  return `/${tenant}/lines?${new URLSearchParams({ reconciliation_id, line })}`;
}

/** The day this many days before another, both `YYYY-MM-DD`. */
export function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);
}
