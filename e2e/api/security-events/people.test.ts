import { beforeEach, expect, it } from "vitest";
import { api, signToken, stack } from "#e2e/fixtures.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import { type Trail, tenantWithTrail } from "./trail.ts";

const NAME = "ada";

let trail: Trail;

beforeEach(async () => {
  trail = await tenantWithTrail();
});

/** A token of a person who uses the common name. */
const token = (iss: string | undefined, sub: string) =>
  signToken({
    ...(iss && { iss }),
    sub,
    preferred_username: NAME,
    tenants: { [trail.tenant]: ["tenant_admin"] },
  });

const PEOPLE: [iss: string | undefined, sub: string][] = [
  ["https://one.example", "8f14e45f"],
  ["https://one.example", "c9f0f895"],
  ["https://two.example", "8f14e45f"],
  [undefined, "8f14e45f"],
];
const shown = PEOPLE.map(([iss, sub]) => ({
  actor: `user:${NAME}`,
  actor_issuer: iss ?? "",
  actor_subject: sub,
}));

it("people with the same name are distinguished in events, history and the ledger", async () => {
  const bearers = await Promise.all(PEOPLE.map(([iss, sub]) => token(iss, sub)));
  const created = await api("POST", "/v1/exceptions", {
    bearer: trail.admin,
    tenant: trail.tenant,
    body: { title: "Late", severity: "low" },
  });
  const { id } = created.json as Exception;
  for (const [index, bearer] of bearers.entries()) {
    const hook = { url: `https://hooks.example/${index}`, events: ["exception.created"] };
    expect(
      (await api("POST", "/v1/webhooks", { bearer, tenant: trail.tenant, body: hook })).status,
    ).toBe(201);
    const due_at = new Date(Date.now() + (index + 2) * 86_400_000).toISOString();
    expect(
      (
        await api("PATCH", `/v1/exceptions/${id}`, {
          bearer,
          tenant: trail.tenant,
          body: { due_at },
        })
      ).status,
    ).toBe(200);
  }
  const person = ({ actor, actor_issuer, actor_subject }: Record<string, unknown>) => ({
    actor,
    actor_issuer,
    actor_subject,
  });
  const read = async (path: string) =>
    (await api("GET", path, { bearer: trail.admin, tenant: trail.tenant })).json as Record<
      string,
      never[]
    >;
  expect((await trail.list({ type: "webhook.created" })).items.map(person).reverse()).toEqual(
    shown,
  );
  expect(
    (await read(`/v1/exceptions/${id}/history`)).items?.map(person).reverse().slice(1),
  ).toEqual(shown);
  expect((await read(`/v1/exceptions/${id}/ledger`)).rows?.map(person).slice(1)).toEqual(shown);
  expect((await trail.verify()).status).toBe("intact");
});

it("people with the same name don't share idempotency keys", async () => {
  const body = { title: "Twice", severity: "low", idempotency_key: "the-same" };
  const answers = await Promise.all(
    PEOPLE.slice(0, 3).map(async ([iss, sub]) =>
      api("POST", "/v1/exceptions", { bearer: await token(iss, sub), tenant: trail.tenant, body }),
    ),
  );
  expect(new Set(answers.map(({ json }) => (json as Exception).id)).size).toBe(3);
});

it("refusals of people with the same name are counted separately", async () => {
  for (const [iss, sub] of PEOPLE) {
    const bearer = await signToken({
      ...(iss && { iss }),
      sub,
      preferred_username: NAME,
      tenants: { [trail.tenant]: [] },
    });
    expect((await api("GET", "/v1/webhooks", { bearer, tenant: trail.tenant })).status).toBe(403);
  }
  const { items } = await trail.list({ type: "access.refused" });
  expect(
    items.map(({ actor_issuer, actor_subject }) => [actor_issuer, actor_subject]).reverse(),
  ).toEqual(PEOPLE.map(([iss, sub]) => [iss ?? "", sub]));
});

it("records no person for other actors", async () => {
  await api("GET", "/v1/me", { bearer: stack.secretKey, tenant: trail.tenant });
  expect(await trail.one("service_role.call")).toMatchObject({
    actor: "service_role",
    actor_issuer: null,
    actor_subject: null,
  });
});

it("an issuer that the database can't store identifies nobody", async () => {
  for (const iss of ["a\0b", "a\ud800", "x".repeat(256), 7 as unknown as string]) {
    expect(
      (await api("GET", "/v1/me", { bearer: await token(iss, "ada"), tenant: trail.tenant }))
        .status,
    ).toBe(401);
  }
});
