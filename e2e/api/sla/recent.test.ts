import { describe, expect, it } from "vitest";
import { api, sql } from "#e2e/fixtures.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import { dueIn, tenantWithLead } from "./exceptions.ts";

/** A tenant with four exceptions: breached, at risk, on track and resolved. */
async function tenantWithFour() {
  const { tenant, lead, create, change, call } = await tenantWithLead();
  const breached = await create({ title: "breached", due_at: await dueIn(-5) });
  await create({ title: "at risk", due_at: await dueIn(30) });
  await create({ title: "far", due_at: await dueIn(600) });
  const { id } = await create({ title: "resolved", due_at: await dueIn(-5) });
  await change(id, { status: "resolved", resolution: "Found." });
  const titles = async (query: Record<string, string>, bearer = lead): Promise<string[]> => {
    const { status, json, text } = await api("GET", "/v1/exceptions", { tenant, bearer, query });
    expect(status, text).toBe(200);
    return (json as { items: Exception[] }).items.map(({ title }) => title);
  };
  return { tenant, call, change, titles, breached: breached.id };
}

describe("the list of all exceptions", () => {
  it("filters by minutes to breach and by risk, which closed ones don't have", async () => {
    const { titles } = await tenantWithFour();
    expect(await titles({ withinMinutes: "0" })).toEqual(["breached"]);
    expect(await titles({ withinMinutes: "60" })).toEqual(["at risk", "breached"]);
    expect(await titles({ breach_risk: "breached" })).toEqual(["breached"]);
    expect(await titles({ breach_risk: "low,at_risk" })).toEqual(["far", "at risk"]);
    expect(await titles({ breach_risk: "low", withinMinutes: "60" })).toEqual([]);
  });

  it("filters by the time of the last change, for an API key as well", async () => {
    const { tenant, call, change, titles, breached } = await tenantWithFour();
    const [last] = await sql<{ at: string }>(
      `select private.iso(max(updated_at) + interval '1 ms') as at from public.exceptions
       where tenant_id = $1`,
      [tenant],
    );
    const updated_since = last?.at ?? "";
    const key = (
      await call("POST", `/v1/tenants/${tenant}/api-keys`, {
        name: "Reader",
        scopes: ["read:exceptions"],
      })
    ).json as { key_id: string; key_secret: string };
    const bearer = `${key.key_id}.${key.key_secret}`;
    expect(await titles({ updated_since }, bearer)).toEqual([]);
    await change(breached, { title: "renamed" });
    expect(await titles({ updated_since }, bearer)).toEqual(["renamed"]);
    expect(await titles({ updated_since, status: "resolved" }, bearer)).toEqual([]);
  });
});
