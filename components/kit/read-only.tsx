/** What stands in place of the actions for those who may only read. */
export function ReadOnly() {
  return <p className="text-sm text-muted">View only. Ask an admin or a lead to make changes.</p>;
}
