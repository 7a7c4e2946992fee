import { setTimeout as sleep } from "node:timers/promises";
import { creating } from "#e2e/exception-statements.ts";
import { api, createTenant, sql, userToken } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { calling, hotCalls } from "./calls.ts";
import { slowdown, timesUntil } from "./neighbor.ts";
import type { Finding, Section } from "./report.ts";
import { withService } from "./server.ts";

/** Lines of each side. */
const LINES = Number(process.env.FAIRNESS_LINES ?? 1_000_000);
const OPEN = 60;
const BULK = 5_000;
/** Repeated, so that another tenant makes about 2,000 calls during them. */
const BULK_CHANGES = 15;
/** Enough for about 2,000 calls. */
const ALONE_MS = 60_000;
const WORK_TIMEOUT_MS = 900_000;
const KINDS = ["left", "right"] as const;

type Found = { status: string; closed_at?: string | null };
type Work = <Body>(method: "GET" | "POST", path: string, body?: object | string) => Promise<Body>;

/** Long work of one tenant in the stack's own processes, while another tenant reads its board. */
export async function fairness(): Promise<Section> {
  const { board } = await hotCalls(OPEN);
  return withService(async (service) => {
    const caller = calling("another tenant's board", service, board);
    const alone = await timesUntil(caller, sleep(ALONE_MS));
    const findings: Finding[] = [];
    const during = async (name: string, work: Promise<unknown>) => {
      const startedAt = performance.now();
      const times = await timesUntil(caller, work);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      findings.push(slowdown(`${name}, ${seconds} s`, times, alone));
    };
    const tenant = await createTenant();
    const work = await workOf(tenant);
    const [left, right] = [await createSource(work, "Bank"), await createSource(work, "Ledger")];
    const size = LINES.toLocaleString("en");
    await during(`two imports of ${size} lines`, importBoth(work, left, right));
    const period = await createPeriod(work, left, right);
    await during(`the first run of ${size} lines a side`, runMatching(work, period));
    await during(`the close of that period`, closePeriod(work, period));
    await during(
      `${BULK_CHANGES} bulk changes of ${BULK.toLocaleString("en")} exceptions`,
      changeInBulk(work, tenant),
    );
    return {
      title: "9. Another tenant's calls during long work",
      how:
        `One tenant works, 90 % of its lines match by reference; another reads its board of 50, ` +
        "one call at a time.",
      findings,
    };
  });
}

async function workOf(tenant: string): Promise<Work> {
  const bearer = await userToken(tenant, ["tenant_admin"]);
  return async <Body>(method: "GET" | "POST", path: string, body?: object | string) => {
    const type = typeof body === "string" ? "text/csv" : "application/json";
    const headers = { "Content-Type": type };
    const answer = await api(method, `/v1/${path}`, { bearer, tenant, body, headers });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.json as Body;
  };
}

async function createSource(work: Work, name: string): Promise<string> {
  const created = await work<{ id: string }>("POST", "sources", {
    name,
    kind: "ledger",
    currency: "EUR",
  });
  return created.id;
}

async function importLines(work: Work, id: string, side: (typeof KINDS)[number]): Promise<void> {
  const begun = await work<{ id: string }>("POST", `sources/${id}/imports`, csvOf(side));
  await waitFor(work, `imports/${begun.id}`, ({ status }) => status === "done");
}

async function importBoth(work: Work, left: string, right: string): Promise<void> {
  await importLines(work, left, "left");
  await importLines(work, right, "right");
}

async function createPeriod(work: Work, left: string, right: string): Promise<string> {
  const { id } = await work<{ id: string }>("POST", "reconciliations", {
    name: "October",
    left_source_id: left,
    right_source_id: right,
    period_start: "2026-10-01",
    period_end: "2026-10-31",
    auto_run: false,
  });
  return id;
}

async function runMatching(work: Work, period: string): Promise<void> {
  const { id } = await work<{ id: string }>("POST", `reconciliations/${period}/runs`, {});
  await waitFor(work, `runs/${id}`, ({ status }) => status === "done");
}

async function closePeriod(work: Work, period: string): Promise<void> {
  await work("POST", `reconciliations/${period}/close`, {});
  await waitFor(work, `reconciliations/${period}`, ({ closed_at }) => Boolean(closed_at));
}

async function changeInBulk(work: Work, tenant: string): Promise<void> {
  await sql(
    creating(
      `'tenant_id', $1::text, 'title', 'Bulk ' || i, 'severity', 'critical',
         'due_at', now() + make_interval(mins => 60 * i), 'created_by', 'user:ada'`,
      `generate_series(1, ${BULK}) i`,
    ),
    [tenant],
  );
  for (let nth = 1; nth <= BULK_CHANGES; nth++)
    for (let cursor: string | null = "", body = {}; cursor !== null; ) {
      body = {
        filter: { severity: ["critical"] },
        expected_count: BULK,
        patch: { reason_code: `reason_${nth}` },
        ...(cursor && { cursor }),
      };
      ({ next_cursor: cursor } = await work<{ next_cursor: string | null }>(
        "POST",
        "exceptions/bulk",
        body,
      ));
    }
}

async function waitFor(work: Work, path: string, isDone: (found: Found) => boolean): Promise<void> {
  await until(
    `${path} is done`,
    async () => {
      const found = await work<Found>("GET", path);
      if (found.status === "failed") throw new Error(`${path} failed.`);
      return isDone(found);
    },
    WORK_TIMEOUT_MS,
  );
}

/** Every tenth line has different references on the two sides. */
function csvOf(side: (typeof KINDS)[number]): string {
  const parts = ["date;amount;reference;counterparty;description\n"];
  for (let nth = 0; nth < LINES; nth++) {
    const day = String(1 + (nth % 28)).padStart(2, "0");
    const reference = nth % 10 === 0 ? `${side}-${nth}` : `RG-${nth}`;
    const amount = `${1 + ((nth * 7919) % 10_000)}.${String(nth % 100).padStart(2, "0")}`;
    parts.push(
      `2026-10-${day};${amount};${reference};Customer ${nth % 5_000} GmbH;Invoice ${nth}\n`,
    );
  }
  return parts.join("");
}
