// Closes October of a bank account against a ledger, as a program of yours would: two files in, a
// signed statement out.
//
//   TIEOUT_URL=https://… TIEOUT_TENANT=acme TIEOUT_TOKEN=… node close-a-month.mjs bank.csv ledger.csv
//
// TIEOUT_TOKEN is a person's with tenant_admin or tenant_lead: a person signs for a month, a key
// never does.
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const { TIEOUT_URL, TIEOUT_TENANT, TIEOUT_TOKEN } = process.env;
const [bankFile, ledgerFile] = process.argv.slice(2);

const PATIENCE_MS = 600_000;

/** Calls, and waits where something else has to end first, such as a run of the period. */
async function call(method, path, body, type = "application/json") {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const response = await send(method, path, body, type);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json");
    const answer = isJson ? JSON.parse(text) : text;
    if (response.ok) return answer;
    if (!answer.retryable || Date.now() > end)
      throw new Error(`${method} ${path}: ${response.status} ${text}`);
    await sleep(Number(response.headers.get("retry-after")) * 1000);
  }
}

async function send(method, path, body, type) {
  return fetch(`${TIEOUT_URL}/v1/${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${TIEOUT_TOKEN}`,
      "X-Tenant-Id": TIEOUT_TENANT,
      ...(body !== undefined && { "Content-Type": type }),
    },
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** Asks until it has ended: a webhook for `import.done` and `run.done` would tell as well. */
async function ended(path) {
  for (;;) {
    const found = await call("GET", path);
    if (found.status === "done") return found;
    if (found.status === "failed") throw new Error(`${path} failed: ${found.failure}`);
    await sleep(200);
  }
}

async function importFile(source, file) {
  const { id } = await call(
    "POST",
    `sources/${source}/imports`,
    await readFile(file, "utf8"),
    "text/csv",
  );
  const done = await ended(`imports/${id}`);
  console.log(`${file}: ${done.accepted_count} lines, ${done.refused_count} refused`);
}

// 1. Where lines come from, and the period that compares them. Both are made once; the next month
// needs another period only.
const bank = await call("POST", "sources", {
  name: "Bank",
  kind: "bank_statement",
  currency: "EUR",
});
const ledger = await call("POST", "sources", { name: "Ledger", kind: "ledger", currency: "EUR" });
const { id: period } = await call("POST", "reconciliations", {
  name: "Bank, October 2026",
  period_start: "2026-10-01",
  period_end: "2026-10-31",
  left_source_id: bank.id,
  right_source_id: ledger.id,
});

// 2. The files.
await importFile(bank.id, bankFile);
await importFile(ledger.id, ledgerFile);

// 3. The rules run by themselves; asking for a run waits for it.
const run = await ended(`runs/${(await call("POST", `reconciliations/${period}/runs`, {})).id}`);
for (const { rule, matches, suggested } of run.waterfall)
  if (matches + suggested > 0) console.log(`${rule}: ${matches} matched, ${suggested} suggested`);

// 4. What is sure enough for your house is confirmed at once; the rest is for people.
const suggestions = await call(
  "GET",
  `reconciliations/${period}/matches?state=suggested&limit=250`,
);
const sure = suggestions.items.filter(
  ({ score, residual_minor }) => score >= 0.99 && residual_minor === 0,
);
if (sure.length > 0)
  await call("POST", "matches/bulk", { action: "confirm", ids: sure.map(({ id }) => id) });

// 5. A bank's fee that no ledger line will ever have.
const open = await call("GET", `lines?reconciliation_id=${period}&side=left&state=open`);
for (const { id, description } of open.items)
  if (description?.includes("Account fee"))
    await call("POST", `lines/${id}/exclude`, { reason: "Account fee, booked by the quarter" });

// 6. No cent is missing, and the month is closed.
const proof = await call("GET", `reconciliations/${period}/proof`);
if (!proof.holds) throw new Error("The proof does not hold.");
let closed = await call("POST", `reconciliations/${period}/close`, {});
for (; closed.closing; closed = await call("GET", `reconciliations/${period}`)) await sleep(1000);
if (!closed.closed_at) throw new Error(closed.closing_failure);
const statement = await call("GET", `reconciliations/${period}/statement`);
console.log(
  `${closed.name}: closed by ${closed.closed_by}, ${closed.matched_count} lines matched, ` +
    `${statement.outstanding_count} outstanding`,
);
for (const { currency, difference_minor } of statement.differences)
  console.log(`Difference: ${difference_minor} ${currency}`);
console.log(await call("GET", `reconciliations/${period}/statement/export?format=csv`));
