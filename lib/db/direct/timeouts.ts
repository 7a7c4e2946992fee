import type { QueryConfig } from "pg";
import { singleton } from "../../runtime/singleton.ts";
import { connect } from "./pools.ts";

/** Every call waits for it: it must not wait for a connection that died. */
const TIMEOUT_MS = 5_000;
const READ = `select proname as name, split_part(setting, '=', 2) as timeout from pg_catalog.pg_proc cross join unnest(proconfig) setting
  where pronamespace = 'public'::regnamespace and setting like 'statement_timeout=%'`;

const kept = () =>
  singleton("function-timeouts", (): { known?: Promise<Map<string, string>> } => ({}));

/**
 * The time limit that a function sets for itself, undefined where it sets none. Postgres would heed it from the next statement on only;
 * PostgREST has it hold from the call's beginning, and so do we. Read once: functions change with a start.
 */
export async function ownTimeoutOf(name: string): Promise<string | undefined> {
  const state = kept();
  state.known ??= readTimeouts().catch((error) => {
    state.known = undefined;
    throw error;
  });
  return (await state.known).get(name);
}

async function readTimeouts(): Promise<Map<string, string>> {
  const client = await connect("service");
  let lost = true;
  try {
    const { rows } = await client.query<{ name: string; timeout: string }, []>({
      text: READ,
      query_timeout: TIMEOUT_MS,
    } as QueryConfig<[]>);
    lost = false;
    return new Map(rows.map(({ name, timeout }) => [name, timeout]));
  } finally {
    client.release(lost);
  }
}
