/**
 * A second pair of sources: September could not be closed and waits for people, October is being
 * closed.
 */
import { api, sql, userToken } from "../fixtures.ts";
import { until } from "../until.ts";

const RUN_TIMEOUT_MS = 180_000;
/** Business days: no line becomes an exception. */
const GRACE_DAYS = 90;

export async function createSales(tenant: string): Promise<void> {
  const bearer = await userToken(tenant, ["tenant_admin"], "ada");
  const call = async <Body>(method: string, path: string, body?: object): Promise<Body> => {
    const { status, text, json } = await api(method, `/v1/${path}`, { bearer, tenant, body });
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return json as Body;
  };
  const create = (path: string, body: object) => call<{ id: string }>("POST", path, body);
  const source = (name: string, kind: string) =>
    create("sources", { name, kind, currency: "EUR", grace_days: GRACE_DAYS });
  const { id: left } = await source("Sparkasse, card payouts", "bank_statement");
  const { id: right } = await source("Card terminals", "processor");
  const add = async (to: string, lines: object[]) =>
    (await call<{ items: { id: string }[] }>("POST", `sources/${to}/lines`, { lines })).items.map(
      ({ id }) => id,
    );
  const period = (month: string, period_start: string, period_end: string) =>
    create("reconciliations", {
      name: `Card sales, ${month} 2026`,
      period_start,
      period_end,
      left_source_id: left,
      right_source_id: right,
      auto_run: false,
    });
  const run = async (id: string) => {
    const { id: asked } = await create(`reconciliations/${id}/runs`, {});
    await until(
      "card sales are matched",
      async () => (await call<{ status: string }>("GET", `runs/${asked}`)).status === "done",
      RUN_TIMEOUT_MS,
    );
  };

  const named = (counterparties: readonly string[]) =>
    counterparties.map((counterparty, n) => ({
      external_id: `named-${n}`,
      amount_minor: 81_234 + n,
      value_date: `2026-09-0${3 + 2 * n}`,
      counterparty,
    }));
  const charged = await add(
    left,
    named(["SQ *MRGNRT 0812 BERLIN FRIEDRICHSHAIN", "NYX*HOTELAMRHEIN KÖLN/00049221"]),
  );
  const billed = await add(right, named(["Café Morgenrot GmbH & Co. KG", "Gasthof Löwen"]));
  for (const month of ["09", "10"]) {
    const on = (day: string) => ({ value_date: `2026-${month}-${day}` });
    const sold = (n: number) => ({
      external_id: `${month}-${n}`,
      amount_minor: 10_000 + 117 * n,
      reference: `TA-${month}-${n}`,
      ...on(`1${n}`),
    });
    const agreeing = [1, 2, 3, 4, 5].map(sold);
    await add(left, [
      ...agreeing,
      {
        external_id: `${month}-net`,
        amount_minor: 9710,
        counterparty: "Kartenabrechnung",
        ...on("20"),
      },
    ]);
    await add(right, [
      ...agreeing,
      {
        external_id: `${month}-gross`,
        amount_minor: 10_000,
        fee_minor: 290,
        counterparty: "Atelier Weiß",
        ...on("22"),
      },
    ]);
  }
  const { id: september } = await period("September", "2026-09-01", "2026-09-30");
  for (const [n, charge] of charged.entries())
    await create(`reconciliations/${september}/matches`, { line_ids: [charge, billed[n]] });
  await run(september);
  const { id: october } = await period("October", "2026-10-01", "2026-10-31");
  await run(october);
  // The state that a matcher leaves while it closes a period of many lines.
  const failure =
    "Closing failed several times because of an error on our side. " +
    "Nothing was closed: close the period again.";
  await sql(
    `insert into private.closing_requests (tenant_id, reconciliation_id, pair_no, asked_by, failure)
     select r.tenant_id, r.id, r.pair_no, '{}', case r.id when $2 then $3 end
     from public.reconciliations r
     where r.tenant_id = $1 and r.id in ($2, $4)`,
    [tenant, september, failure, october],
  );
}
