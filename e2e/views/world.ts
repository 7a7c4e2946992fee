import { readFileSync } from "node:fs";
import { api, createTenant, database, uniqueName, userToken } from "../fixtures.ts";
import { until } from "../until.ts";
import { createMonth, type Month } from "./month.ts";
import { createSales } from "./sales.ts";

const WORLD = readFileSync(new URL("world.sql", import.meta.url), "utf8");

/** The tenants that the views of one worker read. */
export type World = { world: string; empty: string };

/** Makes both, and lets a period of the first be matched. */
export async function createWorld(): Promise<World> {
  const world = uniqueName("world");
  await database.query(WORLD.replaceAll(":tenant", `'${world}'`));
  await Promise.all([
    createMonth(world).then(excludeLine).then(openNovember),
    createSales(world),
    createOffice(world),
    shareView(world),
  ]);
  // Last: once these calls are logged, all before them are, and no row comes into a list that is
  // looked at.
  await callApi(world);
  return { world, empty: await createTenant() };
}

/** One of October's lines is nothing to match. */
async function excludeLine(month: Month): Promise<Month> {
  const { tenant, october, bearer } = month;
  const open = await api("GET", `/v1/reconciliations/${october}/open-lines`, {
    bearer,
    tenant,
    query: { side: "right", suggested: "false" },
  });
  const [line] = (open.json as { items: { id: string }[] }).items;
  const body = { reason: "Booked twice", reconciliation_id: october };
  const { status, text } = await api("POST", `/v1/lines/${line?.id}/exclude`, {
    bearer,
    tenant,
    body,
  });
  if (status !== 200) throw new Error(`Excluding a line answered ${status}: ${text}`);
  return month;
}

/** A period of the same sources in which nothing is matched yet. */
async function openNovember({ tenant, october, bearer }: Month): Promise<void> {
  const { json } = await api("GET", `/v1/reconciliations/${october}`, { bearer, tenant });
  const { left_source_id, right_source_id } = json as {
    left_source_id: string;
    right_source_id: string;
  };
  const body = {
    name: "Commerzbank, November 2026",
    period_start: "2026-11-01",
    period_end: "2026-11-30",
    left_source_id,
    right_source_id,
    auto_run: false,
  };
  const { status, text } = await api("POST", "/v1/reconciliations", { bearer, tenant, body });
  if (status !== 201) throw new Error(`Opening November answered ${status}: ${text}`);
}

/** Calls of the last minutes for the request log, one of them refused. */
async function callApi(tenant: string): Promise<void> {
  const bearer = await userToken(tenant, ["tenant_admin"], "ada");
  await api("GET", "/v1/exceptions", { bearer, tenant });
  const { headers } = await api("POST", "/v1/exceptions", {
    bearer,
    tenant,
    body: { title: "", severity: "urgent" },
  });
  const logged = "select from request_log where tenant_id = $1 and id = $2";
  await until(
    "the calls are logged",
    async () =>
      (await database.query(logged, [tenant, headers.get("x-request-id")])).rowCount === 1,
  );
}

/** A view that a colleague shared. */
async function shareView(tenant: string): Promise<void> {
  const bearer = await userToken(tenant, ["tenant_lead"], "leo");
  const body = { name: "Urgent, with the bank", shared: true, filters: { severity: ["critical"] } };
  const { status, text } = await api("POST", "/v1/views", { bearer, tenant, body });
  if (status !== 201) throw new Error(`Sharing a view answered ${status}: ${text}`);
}

/** A calendar with two versions. No policy names it. */
async function createOffice(tenant: string): Promise<void> {
  const bearer = await userToken(tenant, ["tenant_admin"], "ada");
  const weekly = ["monday", "tuesday", "wednesday", "thursday", "friday"].flatMap((day) => [
    { day, from: "09:00", to: "12:30" },
    { day, from: "13:30", to: "18:00" },
  ]);
  const office = { name: "Frankfurt office", time_zone: "Europe/Berlin", weekly };
  const { json } = await api("POST", "/v1/calendars", { bearer, tenant, body: office });
  const special_days = [
    { date: "2027-01-01", name: "New Year's Day" },
    {
      date: "2027-12-24",
      name: "Christmas Eve, for those who have not left yet",
      intervals: [{ from: "09:00", to: "12:00" }],
    },
  ];
  const body = {
    ...office,
    weekly: [...weekly, { day: "saturday", from: "22:00", to: "06:00" }],
    special_days,
  };
  const { status, text } = await api("PUT", `/v1/calendars/${(json as { id: string }).id}`, {
    bearer,
    tenant,
    body,
  });
  if (status !== 200) throw new Error(text);
}
