/**
 * An SQL statement that creates exceptions without the API and returns them: `columns` are 'name',
 * value, …; `from` has a row for each.
 */
export function creating(columns: string, from: string): string {
  return `select e.*
    from private.change_exceptions('create', array(select jsonb_build_object(${columns})
      from ${from})) e`;
}

/**
 * An SQL statement that changes the exceptions that match `where` and returns them. `columns` are
 * 'name', value, …
 */
export function editing(
  columns: string,
  where: string,
  action: "edit" | "pause" | "resume" | "recalculate" = "edit",
): string {
  const change = ["'tenant_id', tenant_id", "'id', id", columns].filter(Boolean).join(", ");
  return `select e.*
    from private.change_exceptions('${action}', array(select jsonb_build_object(${change})
      from public.exceptions where ${where})) e`;
}
