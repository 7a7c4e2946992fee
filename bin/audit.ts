import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Client, DatabaseError } from "pg";
import { stackEnvironment } from "../supervisor/stack-file.ts";
import { fail } from "./fail.ts";

const USAGE = `Usage: npm run -s audit -- verify [--tenant <id>] [--checkpoints <file>]
         verifies each chain of security events and reports the first event that fails; '*' is the chain without a tenant.
         --checkpoints: the worker's log, or lines of it, kept out of reach of those who can write the database
       npm run -s audit -- retention <tenant> <days>
       npm run -s audit -- public-keys`;

const { positionals, values } = parsed();
const [verb, tenant, days] = positionals;

Object.assign(process.env, stackEnvironment());
const connectionString = process.env.DATABASE_URL;
if (!connectionString)
  fail("No stack is running on DATA_DIR. Run npm start first, or set DATABASE_URL.");
const client = new Client({ connectionString });
const query = (text: string, values: unknown[]) => client.query(text, values);

if (verb === "public-keys" && positionals.length === 1) await showKeys();
else if (verb === "verify" && positionals.length === 1) await connected(verify);
else if (verb === "retention" && positionals.length === 3) await connected(setRetention);
else fail(USAGE);

function parsed() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { tenant: { type: "string" }, checkpoints: { type: "string" } },
    });
  } catch {
    return fail(USAGE);
  }
}

async function connected(work: () => Promise<void>): Promise<void> {
  await client.connect().catch(() => fail("The database isn't responding. Is the stack running?"));
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    fail(error.detail ?? error.message);
  } finally {
    await client.end();
  }
}

async function verify(): Promise<void> {
  const { verifyChain } = await import("#lib/security-events/verify-chain.ts");
  const { chainReader, readChainState } = await import("#lib/security-events/read-chain.ts");
  const savedCheckpoints = values.checkpoints ? await readSavedCheckpoints(values.checkpoints) : [];
  const { rows } = await client.query<{ chain: string }>(
    `select chain from private.security_event_heads union select coalesce(tenant_id, '*')
     from public.security_events
     union select chain from private.security_event_checkpoints order by 1`,
  );
  const chains = [
    ...new Set([...rows.map(({ chain }) => chain), ...savedCheckpoints.map(({ chain }) => chain)]),
  ];
  const selected = chains.filter((chain) => values.tenant === undefined || chain === values.tenant);
  if (selected.length === 0)
    fail(
      values.tenant === undefined
        ? "No security events."
        : `${values.tenant} has no security events.`,
    );
  let broken = 0;
  for (const chain of selected) {
    const state = await readChainState(query, chain);
    const checkpoints = [
      ...state.checkpoints,
      ...savedCheckpoints.filter((item) => item.chain === chain),
    ];
    const { fault, events, verified_through, checkpoint, unsigned_events, forgotten_through_seq } =
      await verifyChain({ ...state, checkpoints }, chainReader(query, chain));
    if (fault) {
      broken++;
      console.log(
        `✗ ${chain}: broken at event ${fault.seq} (${fault.reason})${fault.event_id ? `, event ${fault.event_id}` : ""}`,
      );
      console.log(`  ${fault.message}`);
      continue;
    }
    const since =
      forgotten_through_seq === null ? "" : ` after the purged ${forgotten_through_seq}`;
    const signed = checkpoint
      ? `signed up to ${checkpoint.seq} at ${checkpoint.at}`
      : "nothing signed yet";
    console.log(
      `✓ ${chain}: ${events} events${since} verified, up to event ${verified_through?.seq ?? 0}; ` +
        `${signed}, ${unsigned_events} not signed yet`,
    );
  }
  if (broken > 0) process.exitCode = 1;
}

/** Reads JSON lines that have a chain and a signature, and skips everything else. */
async function readSavedCheckpoints(file: string) {
  const { checkpoint } = await import("#lib/security-events/checkpoint.ts");
  const savedCheckpoints: ({ chain: string } & ReturnType<typeof checkpoint.parse>)[] = [];
  const lines = createInterface({
    input: createReadStream(file).on("error", () => fail(`${file} can't be read.`)),
  });
  for await (const line of lines) {
    const value = asJson(line);
    const found = checkpoint.safeParse(value);
    if (found.success && typeof value?.chain === "string")
      savedCheckpoints.push({ chain: value.chain, ...found.data });
  }
  if (savedCheckpoints.length === 0)
    fail(
      `${file} has no checkpoints: pass lines of the worker's log that contain "audit checkpoint".`,
    );
  return savedCheckpoints;
}

function asJson(line: string): { chain?: unknown } | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

async function setRetention(): Promise<void> {
  if (!/^\d{1,5}$/.test(days ?? "")) fail("Enter 30 to 3660 days.");
  const { rows } = await client.query<{ before: number }>(
    "select private.set_security_event_retention($1, $2) as before",
    [tenant, days],
  );
  console.log(`${tenant} keeps its security events for ${days} days (before: ${rows[0]?.before}).`);
}

async function showKeys(): Promise<void> {
  const { publicKeys } = await import("#lib/security-events/checkpoint.ts");
  for (const { id, pem } of publicKeys()) console.log(`${id}\n${pem}`);
}
