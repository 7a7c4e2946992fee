import { existsSync } from "node:fs";
import { join } from "node:path";
import { build, install, ROOT } from "./setup.mjs";

const STACK_VARIABLE =
  /^(SUPABASE_|AUTH_|AUDIT_|NEXTAUTH_|OIDC_|SESSION_|RATE_LIMIT_|WEBHOOK_|DATABASE_URL$|DIRECT_URL$|(?:WEB|WORKER)_CONCURRENCY$|METRICS_TOKEN$|DATA_DIR$|PORT$|HOST$|TRUSTED_PROXY_HOPS$)/;
for (const name of Object.keys(process.env)) if (STACK_VARIABLE.test(name)) delete process.env[name];

await install();
const { playwright, verify, vitest } = await import("./suites.mjs");
const { startTestStack } = await import("./test-stack.mjs");

// npm test -- e2e/api/exceptions: only the suite that the path belongs to.
const args = process.argv.slice(2);
const FOLDERS = { api: "e2e/api", ui: "e2e/ui", stack: "e2e/stack" };
const chosen = args[0] && (Object.keys(FOLDERS).find((suite) => args[0].startsWith(FOLDERS[suite])) ?? "unit");
const wanted = (suite) => (chosen ? suite === chosen : !FOLDERS[suite] || existsSync(join(ROOT, FOLDERS[suite])));

const results = {};
async function suite(name, run) {
  if (!wanted(name)) return;
  console.log(`\n── ${name} ──`);
  results[name] = await run();
}

try {
  await suite("verify", verify);
  await suite("unit", () => vitest("unit", args));
  if (["api", "ui", "stack"].some(wanted)) await build();
  if (["api", "ui"].some(wanted)) {
    const stack = await startTestStack();
    try {
      await suite("api", () => vitest("api", args, stack.env));
      await suite("ui", () => playwright(args, stack.env));
    } finally {
      await stack.stop();
    }
  }
  await suite("stack", () => vitest("stack", args));
} catch (error) {
  console.error(error.message);
  results["set-up"] = { passed: 0, failed: 1 };
}

console.log();
let passed = 0;
let failed = 0;
for (const [name, counts] of Object.entries(results)) {
  passed += counts.passed;
  failed += counts.failed;
  console.log(`${counts.failed ? "✗" : "✓"} ${name}: ${counts.passed} passed, ${counts.failed} failed`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
