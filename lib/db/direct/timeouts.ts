import type { QueryConfig } from "pg";
import { singleton } from "../../runtime/singleton.ts";
import { connect } from "./pools.ts";

/** Every call waits for this query, so it must not hang on a dead connection. */
const TIMEOUT_MS = 5_000;
const READ = `select proname as name, split_part(setting, '=', 2) as timeout
  from pg_catalog.pg_proc cross join unnest(proconfig) setting
  where pronamespace = 'public'::regnamespace and setting like 'statement_timeout=%'`;

const cache = () =>
  singleton("function-timeouts", (): { known?: Promise<Map<string, string>> } => ({}));

/**
 * The statement timeout that a function declares, or undefined. Postgres would apply it from the
 * next statement on; PostgREST applies it to the whole call, and so do we. Read once per process,
 * because functions only change with a migration.
 */
export async function declaredTimeoutOf(name: string): Promise<string | undefined> {
  const state = cache();
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
