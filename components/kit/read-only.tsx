/** Shown instead of actions to read-only members. */
export function ReadOnly() {
  return <p className="text-sm text-muted">View only. Ask an admin or a lead to make changes.</p>;
}
