import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { log } from "./log.ts";
import type { Settings } from "./settings.ts";

const SIGN_INS = ["ada@acme.example (tenant_admin)", "ana@acme.example (tenant_analyst)", "leo@acme.example (tenant_lead)"];
const PASSWORD = "tieout-demo";
const FOR_OTHERS = /^(SUPABASE_|DATABASE_URL$|AUTH_|NEXTAUTH_|ENCRYPTION_KEYS$|PORT$|DATA_DIR$)/;

/** Tells `npm run token`, `npm run tenant` and the tests where the running stack is and how to sign for it. */
export function writeStackFile({ dataDir, env, port }: Settings): void {
  const variables = Object.fromEntries(Object.entries(env).filter(([name]) => FOR_OTHERS.test(name)));
  const stack = { pid: process.pid, url: `http://localhost:${port}`, env: variables };
  writeFileSync(join(dataDir, "stack.json"), `${JSON.stringify(stack, null, 2)}\n`, { mode: 0o600 });
}

export function announce({ env, local }: Settings): void {
  const url = env.NEXTAUTH_URL;
  log("info", "ready", { url, ready_ms: Math.round(performance.now()), ...(local && { sign_in: SIGN_INS, password: PASSWORD }) });
  if (!process.stdout.isTTY) return;
  const how = local ? ["", "Sign in with password " + PASSWORD + ":", ...SIGN_INS.map((user) => `  ${user}`)] : [];
  process.stdout.write(`\n${[`  Tieout is ready: ${url}`, ...how.map((line) => `  ${line}`)].join("\n")}\n\n`);
}
