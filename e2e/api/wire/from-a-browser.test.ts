import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, api, createTenant, stack, uniqueName, userToken } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import type { Contract } from "#lib/wire/contract.ts";
import { expectSameResponse } from "../contracts/conformance.ts";
import { pathOf } from "../contracts/operation.ts";

const ORIGIN = "https://shop.example";

let tenant: string;
beforeAll(async () => {
  tenant = await createTenant();
});

const ID = { id: "rec_019a9f4be2c04d6f8a1b3c5d7e9f0a2b" };
const IDS = {
  ...ID,
  keyId: ID.id,
  deliveryId: ID.id,
  memberId: ID.id,
  invitationId: ID.id,
  number: "1",
  balanceId: ID.id,
};
const open = CONTRACTS.filter(({ access }) => access.publishable);
const closed = CONTRACTS.filter(({ access }) => !access.publishable);
const allowed = ({ headers }: Answer) => headers.get("access-control-allow-origin");

const preflight = (contract: Pick<Contract, "path" | "params">, method: string) =>
  api("OPTIONS", pathOf(contract as Contract, IDS), {
    headers: {
      Origin: ORIGIN,
      "Access-Control-Request-Method": method,
      "Access-Control-Request-Headers": "authorization,x-tenant-id",
    },
  });

const visit = (contract: Contract, tenant: string, query?: Record<string, string>) =>
  api(contract.method, pathOf(contract, ID), {
    bearer: stack.publishableKey,
    tenant,
    query,
    headers: { Origin: ORIGIN },
  });

describe("pages of any origin may call what the publishable key may", () => {
  test.each(open)("$operationId", async (contract) => {
    const preflighted = await preflight(contract, contract.method);
    expect([
      preflighted.status,
      allowed(preflighted),
      preflighted.headers.get("access-control-allow-methods"),
    ]).toEqual([204, "*", contract.method]);
    expect(preflighted.headers.get("access-control-allow-headers")?.toLowerCase()).toMatch(
      /authorization.*x-tenant-id/,
    );
    expect(preflighted.headers.get("access-control-allow-credentials")).toBeNull();
    for (const answer of [
      await visit(contract, tenant),
      await visit(contract, tenant, { wrong: "1" }),
      await api(contract.method, pathOf(contract, ID)),
    ]) {
      expect(allowed(answer), answer.text).toBe("*");
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
      expect(answer.headers.get("access-control-expose-headers")).toContain("X-Request-Id");
    }
  });

  test("and the OpenAPI document", async () => {
    const answer = await api("GET", "/v1/openapi.json", { headers: { Origin: ORIGIN } });
    expect([answer.status, allowed(answer)]).toEqual([200, "*"]);
    expect((await preflight({ path: "/v1/openapi.json", params: {} as never }, "GET")).status).toBe(
      204,
    );
  });
});

// One function answers all preflights, so the gate tries only a tenth of the operations.
test.each(closed.filter((_, place) => WHOLE || place % 10 === 0))(
  "$operationId is not for pages of other origins",
  async (contract) => {
    const preflighted = await preflight(contract, contract.method);
    expect([preflighted.status, allowed(preflighted)]).toEqual([204, null]);
    expect(
      allowed(await api(contract.method, pathOf(contract, IDS), { headers: { Origin: ORIGIN } })),
    ).toBeNull();
  },
);

describe("with the publishable key, existing and unknown tenants are indistinguishable", () => {
  test.each(open)("$operationId", async (contract) => {
    const none = uniqueName("no");
    const [real, made] = [await visit(contract, tenant), await visit(contract, none)];
    expectSameResponse(real, { ...made, text: made.text.replaceAll(none, tenant) });
    expect([...made.headers.keys()].sort()).toEqual([...real.headers.keys()].sort());
  });

  test("but its members see its name", async () => {
    const answer = await api("GET", "/v1/me", {
      bearer: await userToken(tenant, ["tenant_lead"]),
      tenant,
    });
    expect(answer.json).toMatchObject({ tenant_name: `Tenant ${tenant}` });
  });
});
