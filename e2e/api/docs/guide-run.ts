import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { api, createTenant, stack, uniqueName, userToken } from "#e2e/fixtures.ts";
import type { Receiver } from "#e2e/webhooks/receiver.ts";
import { SCOPES } from "#lib/wire/scopes.ts";
import { type Fence, fileName, includedFile, isOutput, isRun } from "./fences.ts";
import { type Example, examplesOf, type Form, savedNames } from "./forms.ts";
import { installSdk } from "./install-sdk.ts";
import { Shell } from "./shell.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** An example that was run, its output, and the output that the guide shows. */
export type Ran = { fence: Fence; output: string; shown: Fence[] };

/**
 * Runs the examples of a guide from top to bottom, as a reader would who always chooses the same
 * form, as the admin of a new tenant.
 */
export async function runGuide(
  slug: string,
  form: Form,
  { url, receiver }: { url: string; receiver: Receiver },
): Promise<Ran[]> {
  const text = readFileSync(join(ROOT, "docs/guides", `${slug}.md`), "utf8");
  const values = await placeholderValues(text, url, receiver);
  const examples = examplesOf(text, form).map((example) => ({
    ...example,
    code: replacePlaceholders(example.code, values),
  }));
  mkdirSync(join(ROOT, "test-results"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, "test-results/guide-"));
  if (form === "TypeScript" || text.includes('"@tieout/sdk"')) await installSdk(folder);
  const profile = { TIEOUT_URL: url, TIEOUT_TENANT: replacePlaceholders("acme", values) };
  const shell = new Shell(folder, form === "CLI" ? profile : {});
  const ran: Ran[] = [];
  const results = new Set<string>();
  try {
    for (const [at, example] of examples.entries()) {
      const included = includedFile(example);
      if (included) copyFileSync(join(ROOT, "docs", included), join(folder, basename(included)));
      if (!isRun(example)) continue;
      const shown = responsesAfter(examples, at);
      const output =
        example.language === "ts"
          ? await runModule(shell, folder, example, results)
          : await runFence(shell, folder, example, shown);
      ran.push({ fence: example, shown, output });
    }
  } finally {
    await shell.end();
    rmSync(folder, { recursive: true, force: true });
  }
  return ran;
}

/** Runs a module as a continuation of earlier ones, whose results are saved in files. */
async function runModule(
  shell: Shell,
  folder: string,
  { line, code, captures }: Example,
  results: Set<string>,
): Promise<string> {
  const own = savedNames(code);
  const file = `example-${line}.mts`;
  const module = [
    'import * as saved from "node:fs";',
    ...[...results]
      .filter((name) => !own.includes(name))
      .map((name) => `const ${name} = JSON.parse(saved.readFileSync("${name}.json", "utf8"));`),
    "console.log = (value) => saved.writeSync(1, JSON.stringify(value));",
    code,
    ...own.map((name) => `saved.writeFileSync("${name}.json", JSON.stringify(${name} ?? null));`),
  ];
  writeFileSync(join(folder, file), module.join("\n"));
  const output = await shell.run(`'${process.execPath}' ${file}`);
  for (const name of own) results.add(name);
  await shell.run(captures);
  return output;
}

function responsesAfter(fences: Fence[], at: number): Fence[] {
  const next = fences.findIndex((fence, index) => index > at && !isOutput(fence));
  return fences.slice(at + 1, next === -1 ? undefined : next);
}

async function runFence(
  shell: Shell,
  folder: string,
  fence: Fence,
  shown: Fence[],
): Promise<string> {
  const named = fileName(fence);
  const file = named ?? `example-${fence.line}.mjs`;
  if (fence.language === "sh" && !named)
    return shell.run(`${shellFunctions(shown)}\n${fence.code}`);
  writeFileSync(join(folder, file), fence.code);
  return named ? "" : shell.run(`node ${file}`);
}

/** If a guide doesn't show the status, any status except 2xx fails the example. */
function shellFunctions(shown: Fence[]): string {
  const strict = shown.some(({ language }) => language === "http") ? "" : "--fail-with-body";
  const cli = join(ROOT, "sdk/cli/src/main.ts");
  return `curl() { command curl --silent --show-error ${strict} "$@"; }
tieout() { '${process.execPath}' '${cli}' "$@"; }`;
}

/** The placeholders of the guides with their values in this run. */
async function placeholderValues(
  text: string,
  url: string,
  receiver: Receiver,
): Promise<[shown: RegExp, value: string][]> {
  const [tenant, other] = [await createTenant(), await createTenant()];
  const token = await userToken(tenant, ["tenant_admin"]);
  const path = `/${uniqueName("guide")}`;
  await receiver.behave(path, { status: 204 });
  return [
    [/https:\/\/tieout\.example/g, url],
    [/https:\/\/hooks\.example\.com\/tieout/g, receiver.url(path)],
    [/https:\/\/project\.supabase\.co/g, stack.supabaseUrl],
    [/\b8080\b/g, String(await freePort())],
    [/<key_id>\.<key_secret>/g, await createKey(text, tenant, token)],
    [/<token>/g, token],
    [/<reviewer's token>/g, await userToken(tenant, ["tenant_admin"], "rita")],
    [/<shared secret>/g, stack.jwtSecret],
    [/<publishable key>/g, stack.publishableKey],
    [/<service-role key>/g, stack.secretKey],
    [/\bAcme Corporation\b/g, `Tenant ${tenant}`],
    [/\bacme\b/g, tenant],
    [/\bglobex\b/g, other],
  ];
}

/** Creates an API key with the scopes that the guide names. */
async function createKey(text: string, tenant: string, bearer: string): Promise<string> {
  const scopes = SCOPES.filter((scope) => text.includes(scope));
  if (scopes.length === 0) return "";
  const { json } = await api("POST", `/v1/tenants/${tenant}/api-keys`, {
    bearer,
    tenant,
    body: { name: "My first key", scopes },
  });
  const { key_id, key_secret } = json as { key_id: string; key_secret: string };
  return `${key_id}.${key_secret}`;
}

function replacePlaceholders(text: string, values: [RegExp, string][]): string {
  return values.reduce((whole, [shown, value]) => whole.replaceAll(shown, () => value), text);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0);
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}
