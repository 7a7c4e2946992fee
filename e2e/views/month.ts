/**
 * A pair of sources with two periods: September tied out and closed, October with lines that wait
 * for people.
 */
import { api, userToken } from "../fixtures.ts";
import { until } from "../until.ts";

type Line = {
  external_id: string;
  amount_minor: number;
  value_date: string;
  reference?: string;
  counterparty?: string;
  description?: string;
};
type Period = { id: string; matched_count: number; unmatched_count: number };
export type Month = { tenant: string; september: string; october: string; bearer: string };

const CUSTOMERS = [
  "Hansen & Söhne",
  "Bäckerei Vogel",
  "Atelier Weiß",
  "Lindt Logistik KG",
  "Café Morgenrot",
];
const OPENING_MINOR = 1_250_000;
const RUN_TIMEOUT_MS = 180_000;

/**
 * `open`: how many of October's lines a side wait for people: some with a suggestion, some that
 * differ, some alone.
 */
export async function createMonth(tenant: string, { open = 12 } = {}): Promise<Month> {
  const bearer = await userToken(tenant, ["tenant_lead"], "leo");
  const call = async <Body>(method: string, path: string, body?: object): Promise<Body> => {
    const { status, text, json } = await api(method, `/v1/${path}`, { bearer, tenant, body });
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return json as Body;
  };
  const source = async (name: string, kind: string) =>
    (await call<{ id: string }>("POST", "sources", { name, kind, currency: "EUR" })).id;
  const [left, right] = [
    await source("Commerzbank EUR account", "bank_statement"),
    await source("Receivables ledger", "ledger"),
  ];
  const { bank, ledger } = linesOf(open);
  await call("POST", `sources/${left}/lines`, { lines: bank });
  await call("POST", `sources/${right}/lines`, { lines: ledger });
  const state = async (source: string, lines: readonly Line[]) => {
    for (const day of ["2026-08-31", "2026-09-30", "2026-10-31"])
      await call("POST", `sources/${source}/balances`, {
        day,
        amount_minor: balanceOn(day, lines),
        reason: `Trial balance of ${day}`,
      });
  };
  await state(left, bank);
  await state(right, ledger);
  const period = async (name: string, period_start: string, period_end: string) => {
    const body = {
      name,
      period_start,
      period_end,
      left_source_id: left,
      right_source_id: right,
      auto_run: false,
    };
    const { id } = await call<Period>("POST", "reconciliations", body);
    const run = await call<{ id: string }>("POST", `reconciliations/${id}/runs`, {});
    await until(
      `${name} is matched`,
      async () => (await call<{ status: string }>("GET", `runs/${run.id}`)).status === "done",
      RUN_TIMEOUT_MS,
    );
    return id;
  };
  const september = await period("Commerzbank, September 2026", "2026-09-01", "2026-09-30");
  const evidence = new URLSearchParams({ subject_id: september, file_name: "approval.txt" });
  await api("POST", `/v1/evidence?${evidence}`, {
    bearer,
    tenant,
    body: "Eva approved the statement of September by phone.",
    headers: { "Content-Type": "text/plain" },
  });
  await call("POST", `reconciliations/${september}/close`, {});
  return {
    tenant,
    september,
    october: await period("Commerzbank, October 2026", "2026-10-01", "2026-10-31"),
    bearer,
  };
}

/** At the end of a day, of an account that both sides began with the same. */
function balanceOn(day: string, lines: readonly Line[]): number {
  const booked = lines.filter(({ value_date }) => value_date <= day);
  return booked.reduce((sum, { amount_minor }) => sum + amount_minor, OPENING_MINOR);
}

/**
 * September agrees; October has lines that agree, and of the others a third are short by a fee, a
 * third have no reference, and a third have no counterpart.
 */
function linesOf(open: number): { bank: Line[]; ledger: Line[] } {
  const bank: Line[] = [];
  const ledger: Line[] = [];
  const add = (n: number, month: string, kind: "agrees" | "short" | "nameless" | "alone") => {
    const day = `2026-${month}-${String(1 + (n % 26)).padStart(2, "0")}`;
    const amount_minor = 12_000 + ((n * 7919) % 480_000);
    const reference = `RG-2026-${String(n).padStart(4, "0")}`;
    const counterparty = CUSTOMERS[n % CUSTOMERS.length] as string;
    ledger.push({
      external_id: `led-${n}`,
      amount_minor,
      value_date: day,
      reference,
      counterparty,
      description: "Invoice",
    });
    if (kind === "alone") return;
    bank.push({
      external_id: `bank-${n}`,
      amount_minor: kind === "short" ? amount_minor - 250 : amount_minor,
      value_date: day,
      counterparty: counterparty.toUpperCase(),
      ...(kind === "nameless"
        ? { description: `Rechnung ${n} vielen Dank` }
        : { reference, description: "SEPA-Gutschrift" }),
    });
  };
  for (let n = 1; n <= 20; n++) add(n, "09", "agrees");
  for (let n = 21; n <= 60; n++) add(n, "10", "agrees");
  for (let n = 0; n < open; n++)
    add(100 + n, "10", (["short", "nameless", "alone"] as const)[n % 3] as "short");
  return { bank, ledger };
}
