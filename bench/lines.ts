/**
 * Imports a file of lines through /v1 on the running stack. Prints the seconds until the import is
 * done and those of a COPY of the same rows into the same table and into one without indexes, the
 * peak memory of each process, and how long other calls take during the import.
 *
 *   npm start, then: node bench/lines.ts [lines]
 */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { createTenant, stack, userToken } from "#e2e/fixtures.ts";

const LINES = Number(process.argv[2] ?? 1_000_000);
const day = (nth: number) => String(1 + (nth % 28)).padStart(2, "0");
const cents = (nth: number) => ((nth * 7919) % 1_000_000) - 500_000;

const tenant = await createTenant();
const bearer = await userToken(tenant, ["tenant_admin"]);
const headers = { Authorization: `Bearer ${bearer}`, "X-Tenant-Id": tenant };
const other = await createTenant();
const othersHeaders = {
  Authorization: `Bearer ${await userToken(other, ["tenant_admin"])}`,
  "X-Tenant-Id": other,
};
const database = new Client({ connectionString: stack.databaseUrl });
await database.connect();

const source = await post<{ id: string }>("/v1/sources", {
  name: "Bench",
  kind: "bank_statement",
  currency: "EUR",
});
const file = csv();
console.log(`${LINES} lines, ${(file.length / 1e6).toFixed(0)} MB`);

const quiet = await callsWhile(sleep(20_000));
console.log("other calls at rest, ms:", quiet);

const peaks = watchMemory();
const startedAt = performance.now();
let sentAt = 0;
const reading = (async () => {
  const response = await fetch(`${stack.url}/v1/sources/${source.id}/imports`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "text/csv" },
    body: file,
  });
  if (response.status !== 202) throw new Error(await response.text());
  sentAt = performance.now();
  let { id, status } = (await response.json()) as { id: string; status: string };
  while (status === "queued" || status === "reading") {
    await sleep(1_000);
    ({ id, status } = await get<{ id: string; status: string }>(`/v1/imports/${id}`));
  }
  return get<{ status: string; accepted_count: number }>(`/v1/imports/${id}`);
})();
const busy = await callsWhile(reading);
const done = await reading;
const seconds = (performance.now() - startedAt) / 1000;
console.log(
  done.status,
  done.accepted_count,
  "lines in",
  seconds.toFixed(1),
  "s, sent in",
  ((sentAt - startedAt) / 1000).toFixed(1),
  "s",
);
console.log("other calls during the import, ms:", busy);
console.log("peak memory, MB:", peaks());

for (const like of ["including all", "including generated including identity"]) {
  console.log(
    `COPY into a table ${like === "including all" ? "with the same indexes" : "without indexes"}:`,
    await bareCopy(like),
    "s",
  );
}
await database.end();

async function bareCopy(like: string): Promise<string> {
  await database.query(
    `create unlogged table if not exists private.bench_rows as select * from public.lines where tenant_id = $1`.replace(
      "$1",
      `'${tenant}'`,
    ),
  );
  await database.query(
    `drop table if exists private.bench_copy;
     create table private.bench_copy (like public.lines ${like})`,
  );
  const { rows } = await database.query<{ row: string }>(
    "select r::text as row from private.bench_rows r limit 1",
  );
  if (!rows[0]) throw new Error("There are no lines to copy.");
  const text: string[] = [];
  const all = new Client({ connectionString: stack.databaseUrl });
  await all.connect();
  const { to } = await import("pg-copy-streams");
  for await (const chunk of all.query(to("copy private.bench_rows to stdout"))) text.push(chunk);
  await all.end();
  const at = performance.now();
  const copy = database.query(copyFrom("copy private.bench_copy from stdin"));
  for (const chunk of text)
    if (!copy.write(chunk)) await new Promise((resume) => copy.once("drain", resume));
  await new Promise<void>((resume, fail) => copy.once("finish", resume).once("error", fail).end());
  const seconds = (performance.now() - at) / 1000;
  await database.query("drop table private.bench_copy");
  if (like !== "including all") await database.query("drop table private.bench_rows");
  return seconds.toFixed(1);
}

/**
 * Another tenant's reads, one after another, until the work is done; as often as the rate limit of
 * one credential allows.
 */
async function callsWhile(
  work: Promise<unknown>,
): Promise<{ calls: number; p50: number; p99: number }> {
  let over = false;
  work.finally(() => {
    over = true;
  });
  const times: number[] = [];
  for (let nth = 0; !over; nth++) {
    const at = performance.now();
    await get(nth % 2 ? "/v1/exceptions?limit=10" : "/v1/sources", othersHeaders);
    times.push(performance.now() - at);
    await sleep(120);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => Math.round(times[Math.floor(times.length * share)] ?? 0);
  return { calls: times.length, p50: at(0.5), p99: at(0.99) };
}

/**
 * Samples memory. @returns a function that stops sampling and returns the highest resident memory
 * of each of the stack's node processes.
 */
function watchMemory(): () => Record<string, number> {
  const max: Record<string, number> = {};
  const sample = () => {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        const part = /(server\/main|matcher\/main|worker\/main|local\/data-api)\.ts/.exec(
          command,
        )?.[1];
        if (!part || !command.includes(process.cwd())) continue;
        const kib = Number(
          /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0,
        );
        max[part] = Math.max(max[part] ?? 0, Math.round(kib / 1024));
      } catch {
        // The process has ended.
      }
    }
  };
  const timer = setInterval(sample, 250);
  return () => {
    clearInterval(timer);
    return max;
  };
}

async function get<Answer>(path: string, sent: Record<string, string> = headers): Promise<Answer> {
  const response = await fetch(stack.url + path, { headers: sent });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

async function post<Answer>(path: string, body: object): Promise<Answer> {
  const init = {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await fetch(stack.url + path, init);
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

function csv(): Uint8Array<ArrayBuffer> {
  const parts = ["Buchungstag;Valuta;Name;Verwendungszweck;Betrag;Referenz;IBAN;Buchungstext\n"];
  for (let nth = 0; nth < LINES; nth++) {
    const minor = Math.abs(cents(nth));
    const amount = `${cents(nth) < 0 ? "-" : ""}${Math.floor(minor / 100)},${String(minor % 100).padStart(2, "0")}`;
    const date = `${day(nth)}.01.2026`;
    parts.push(
      `${date};${date};"Kunde ${nth % 5_000} GmbH";"Rechnung 2026-${nth}; Teil 1";${amount};RG-${nth};DE8937040044053201${nth};SEPA-Gutschrift\n`,
    );
  }
  return new TextEncoder().encode(parts.join(""));
}
