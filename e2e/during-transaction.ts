import { database } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";

type Statement = [text: string, values: unknown[]];

/** Counts the sessions that wait for a connection's locks, directly or indirectly. */
const WAITING = `with recursive waiting as (
  select a.pid from pg_stat_activity a where $1 = any (pg_blocking_pids(a.pid))
  union
  select a.pid from waiting w, pg_stat_activity a where w.pid = any (pg_blocking_pids(a.pid))
) select count(*)::integer as count from waiting`;

/**
 * Makes the calls one after another during an open transaction that has run these statements. The
 * transaction commits once each call either waits for a lock or has returned.
 */
export async function duringTransaction<Answer>(
  statements: Statement[],
  calls: (() => Promise<Answer>)[],
): Promise<Answer[]> {
  const connection = await database.connect();
  try {
    await connection.query("begin");
    for (const [text, values] of statements) await connection.query(text, values);
    const [self] = (await connection.query<{ pid: number }>("select pg_backend_pid() as pid")).rows;
    const answers: Promise<Answer>[] = [];
    let answered = 0;
    for (const call of calls) {
      answers.push(call().finally(() => answered++));
      await until("the call waits or is answered", async () => {
        const [waiting] = (await database.query<{ count: number }>(WAITING, [self?.pid])).rows;
        return answered + (waiting?.count ?? 0) >= answers.length;
      });
    }
    await connection.query("commit");
    return await Promise.all(answers);
  } finally {
    await connection.query("rollback");
    connection.release();
  }
}
