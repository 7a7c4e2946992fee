/** The statement that creates exceptions past the API: `columns` as 'name', value, …, one for each row of `from`. Answers them. */
export function creating(columns: string, from: string): string {
  return `select e.* from private.change_exceptions('create', array(select jsonb_build_object(${columns}) from ${from})) e`;
}

/** The statement that changes the exceptions for which `where` holds: `columns` as 'name', value, … Answers them. */
export function editing(
  columns: string,
  where: string,
  act: "edit" | "pause" | "resume" | "recalculate" = "edit",
): string {
  const change = ["'tenant_id', tenant_id", "'id', id", columns].filter(Boolean).join(", ");
  return `select e.* from private.change_exceptions('${act}', array(select jsonb_build_object(${change}) from public.exceptions where ${where})) e`;
}
