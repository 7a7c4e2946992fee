import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dataDirOf, type Settings } from "./settings.ts";

type Stack = { pid: number; url: string; env: Record<string, string> };

const SHARED_VARIABLES =
  /^(SUPABASE_|(REQUEST_)?DATABASE_URL$|DIRECT_URL$|DATABASE_DISK$|AUTH_|AUDIT_|NEXTAUTH_|ENCRYPTION_KEYS$|PORT$|DATA_DIR$)/;

const fileOf = (dataDir: string) => join(dataDir, "stack.json");

/** Writes the running stack's URL and keys for `npm run token`, `npm run tenant` and the tests. */
export function writeStackFile({ dataDir, env, port }: Settings): void {
  const variables = Object.fromEntries(
    Object.entries(env).filter(([name]) => SHARED_VARIABLES.test(name)),
  );
  const stack: Stack = { pid: process.pid, url: `http://localhost:${port}`, env: variables };
  writeFileSync(fileOf(dataDir), `${JSON.stringify(stack, null, 2)}\n`, { mode: 0o600 });
}

/** The variables of the stack on DATA_DIR, overridden by our own environment. */
export function stackEnvironment(
  env: NodeJS.ProcessEnv = process.env,
): Record<string, string | undefined> {
  const file = fileOf(dataDirOf(env));
  const stack: Stack | undefined = existsSync(file)
    ? JSON.parse(readFileSync(file, "utf8"))
    : undefined;
  return { ...stack?.env, ...env };
}
