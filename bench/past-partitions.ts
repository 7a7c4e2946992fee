import type { Client } from "pg";

/**
 * Gives a fresh database the partitions of one that has run for this many days and dropped none.
 */
export async function createPastPartitions(client: Client, days: number): Promise<void> {
  for (let day = days; day >= 0; day--) {
    await client.query(
      `select private.extend_partitions(parent, prefix, span, now() - $1 * interval '1 day')
       from private.partitioned() where span > '1 day'`,
      [day],
    );
  }
}
