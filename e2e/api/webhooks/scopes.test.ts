import { beforeAll, describe, expect, test } from "vitest";
import { api, uniqueName } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { ApiKeyImpact } from "#lib/api-keys/contract.ts";
import { EVENTS } from "#lib/events/contract.ts";
import type { Webhook } from "#lib/webhooks/contract.ts";
import type { Delivery, DeliveryDetail } from "#lib/webhooks/deliveries/contract.ts";
import type { Scope } from "#lib/wire/access.ts";
import { EVENT_KINDS } from "#lib/wire/event-kinds.ts";
import { tenantWithAdmin } from "../api-keys/keys.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { receiver } from "./shared-receiver.ts";

const WEBHOOKS: Scope[] = ["read:webhooks", "write:webhooks"];
const url = () => `https://hooks.example.com/${uniqueName("hook")}`;

let team: Awaited<ReturnType<typeof tenantWithAdmin>>;
let bearer: string;
let keyId: string;
beforeAll(async () => {
  team = await tenantWithAdmin();
  const key = await team.create({ scopes: WEBHOOKS });
  bearer = key.credential;
  keyId = key.id;
});

const asAdmin = (method: string, path: string, body?: object) =>
  api(method, path, { bearer: team.admin, tenant: team.tenant, body });
const asKey = (method: string, path: string, body?: object) =>
  api(method, path, { bearer, tenant: team.tenant, body });

describe("an API key with the scopes of webhooks alone", () => {
  test.each(EVENT_KINDS.map((kind) => ({ kind, reads: EVENTS[kind].reads })))(
    "for $kind, which needs $reads",
    async ({ kind, reads }) => {
      const answer = await asKey("POST", "/v1/webhooks", { url: url(), events: [kind] });
      if (reads === "read:webhooks") expect(answer.status).toBe(201);
      else expectProblem(answer, reads === "read:api-keys" ? "role_required" : "scope_required");
    },
  );

  test("is refused with the missing scope", async () => {
    const answer = await asKey("POST", "/v1/webhooks", {
      url: url(),
      events: ["webhook.failing", "exception.created"],
    });
    expect(answer.text).toContain(
      "To be sent exception.created, an API key needs the scope read:exceptions.",
    );
  });

  test("may not redirect or extend a webhook that others registered", async () => {
    const created = (
      await asAdmin("POST", "/v1/webhooks", { url: url(), events: ["exception.created"] })
    ).json as Webhook;
    for (const body of [{ url: url() }, { events: ["exception.created", "webhook.test"] }]) {
      expectProblem(await asKey("PATCH", `/v1/webhooks/${created.id}`, body), "scope_required");
    }
    expect(
      (
        await asKey("PATCH", `/v1/webhooks/${created.id}`, {
          description: "Pages the desk.",
          status: "disabled",
        })
      ).status,
    ).toBe(200);
    expect(
      (await asKey("PATCH", `/v1/webhooks/${created.id}`, { events: ["webhook.test"] })).status,
    ).toBe(200);
  });

  test("never reads exception data in a delivery or an echoed response", async () => {
    const echo = `/${uniqueName("echo")}`;
    await receiver.behave(echo, { body: "Got: Confidential" });
    const { id } = (
      await asAdmin("POST", "/v1/webhooks", {
        url: receiver.url(echo),
        events: ["exception.created"],
      })
    ).json as Webhook;
    await asAdmin("POST", "/v1/exceptions", { title: "Confidential", severity: "low" });
    const path = `/v1/webhooks/${id}/deliveries`;
    const delivery = await until("it is delivered", async () =>
      ((await asAdmin("GET", path)).json as { items: Delivery[] }).items.find(
        ({ status }) => status === "delivered",
      ),
    );
    const seen = await asKey("GET", `${path}/${delivery.id}`);
    expect(seen.json).toMatchObject({
      id: delivery.id,
      type: "exception.created",
      payload: null,
      attempts: [{ status_code: 200 }],
    });
    expect(seen.text).not.toContain("Confidential");
    const shown = (await asAdmin("GET", `${path}/${delivery.id}`)).json as DeliveryDetail;
    expect(shown).toMatchObject({
      payload: { data: { exception: { title: "Confidential" } } },
      attempts: [{ response: { body: "Got: Confidential" } }],
    });

    // A delivery can be resent to the same address.
    expect((await asKey("PATCH", `/v1/webhooks/${id}`, { events: ["webhook.test"] })).status).toBe(
      200,
    );
    expectProblem(await asKey("PATCH", `/v1/webhooks/${id}`, { url: url() }), "scope_required");
    expect((await asAdmin("PATCH", `/v1/webhooks/${id}`, { url: url() })).status).toBe(200);
    await asAdmin("DELETE", `/v1/webhooks/${id}`);
  });

  test("with the scope to read exceptions, registers for them", async () => {
    const { credential } = await team.create({ scopes: [...WEBHOOKS, "read:exceptions"] });
    const answer = await api("POST", "/v1/webhooks", {
      bearer: credential,
      tenant: team.tenant,
      body: { url: url(), events: ["exception.created"] },
    });
    expect(answer.status).toBe(201);
  });
});

describe("a webhook that a key registered", () => {
  test("is listed when the key is revoked, and disabled with it on request", async () => {
    const own = (await asKey("POST", "/v1/webhooks", { url: url(), events: ["webhook.failing"] }))
      .json as Webhook;
    const others = (
      await asAdmin("POST", "/v1/webhooks", { url: url(), events: ["webhook.failing"] })
    ).json as Webhook;
    const { webhooks } = (await team.call("POST", `/${keyId}/impact`, { revoke: true }))
      .json as ApiKeyImpact;
    expect(webhooks).toContainEqual({ id: own.id, url: own.url });
    expect(webhooks.map(({ id }) => id)).not.toContain(others.id);

    const successor = (await team.call("POST", `/${keyId}/rotate`, {})).json as { id: string };
    const ofSuccessor = (await team.call("POST", `/${successor.id}/impact`, { revoke: true }))
      .json as ApiKeyImpact;
    expect(ofSuccessor.webhooks).toEqual(webhooks);

    const status = async (id: string) =>
      (await asAdmin("GET", `/v1/webhooks/${id}`)).json as Webhook;
    expect((await team.call("DELETE", `/${keyId}`, { reason: "Lost." })).status).toBe(200);
    expect(await status(own.id)).toMatchObject({ status: "active" });
    expect((await team.call("DELETE", `/${successor.id}`, { disable_webhooks: true })).status).toBe(
      200,
    );
    expect(await status(own.id)).toMatchObject({
      status: "disabled",
      disabled_reason: "manual",
      disabled_by: "user:ada",
      disabled_detail: "The API key Test key, which registered it, was revoked.",
    });
    expect(await status(others.id)).toMatchObject({ status: "active" });
    const after = (await team.call("POST", `/${successor.id}/impact`, { revoke: true }))
      .json as ApiKeyImpact;
    expect(after.webhooks).toEqual([]);
  });
});
