import type { ClientBase } from "pg";

/** More events than a backup can lack. */
const LOST_EVENTS_MAX = 1_000_000_000;

/**
 * Prepares a database that was restored from a backup, before workers start. A receiver may have
 * had what is pending, so those deliveries become recoveries. A reader of events may have a cursor
 * from after the backup, so later events get positions behind it.
 *
 * @returns how many deliveries are pending
 */
export async function markRestored(owner: ClientBase): Promise<number> {
  await owner.query(
    `select setval('private.event_positions', positions.last_value + $1)
     from private.event_positions positions`,
    [LOST_EVENTS_MAX],
  );
  const { rowCount } = await owner.query(
    "update public.webhook_deliveries set cause = 'recover' where status = 'pending'",
  );
  return rowCount ?? 0;
}
