/** What stands in place of the actions for those who may only read. */
export function ReadOnly() {
  return <p className="text-sm text-muted">You can read these. Ask an admin or a lead for changes.</p>;
}
