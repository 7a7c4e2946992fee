import { beforeAll, expect, test } from "vitest";
import { FIRST_STEPS, type FirstSteps } from "#lib/first-steps/contract.ts";
import { api, sql, userToken } from "../fixtures.ts";
import { until } from "../until.ts";
import { tenantWithAdmin } from "./api-keys/keys.ts";

let admin: Awaited<ReturnType<typeof tenantWithAdmin>>;
let tenant: string;
let bearer: string;

beforeAll(async () => {
  admin = await tenantWithAdmin();
  ({ tenant, admin: bearer } = admin);
});

async function steps(as = bearer): Promise<FirstSteps> {
  return (await api("GET", "/v1/first-steps", { bearer: as, tenant })).json as FirstSteps;
}

const doneOf = ({ steps: all }: FirstSteps) =>
  all.filter(({ done }) => done).map(({ step }) => step);

test("each step is done when it has happened, and stays done", async () => {
  expect((await steps()).steps).toEqual(FIRST_STEPS.map((step) => ({ step, done: false })));
  const key = await admin.create({ name: "Bank feed" });
  expect(doneOf(await steps())).toEqual(["create_key"]);
  expect((await steps()).key_id).toBe(key.id);

  await admin.use(key.credential);
  await until("the call is counted", async () => doneOf(await steps()).includes("call_api"));
  await admin.call("DELETE", `/${key.id}`);
  expect(doneOf(await steps())).toEqual(["create_key", "call_api"]);
  expect((await steps()).key_id).toBeNull();

  const body = {
    url: "http://127.0.0.1:9/",
    events: ["exception.created"],
    secret: "a secret of sixteen",
  };
  const { id } = (await api("POST", "/v1/webhooks", { bearer, tenant, body })).json as {
    id: string;
  };
  expect(doneOf(await steps())).toEqual(["create_key", "call_api", "register_webhook"]);
  await sql("update public.webhooks set last_success_at = now() where id = $1", [id]);
  await api("DELETE", `/v1/webhooks/${id}`, { bearer, tenant });
  expect(doneOf(await steps())).toEqual([...FIRST_STEPS]);
});

test("are dismissed per person, and can be restored", async () => {
  const other = await userToken(tenant, ["tenant_admin"], "bob");
  const put = (dismissed: boolean) =>
    api("PUT", "/v1/first-steps", { bearer, tenant, body: { dismissed } });
  for (const _ of [1, 2]) expect((await put(true)).json).toMatchObject({ dismissed: true });
  expect(await steps()).toMatchObject({ dismissed: true });
  expect(await steps(other)).toMatchObject({ dismissed: false });
  for (const _ of [1, 2]) expect((await put(false)).json).toMatchObject({ dismissed: false });
  expect(await steps()).toMatchObject({ dismissed: false });
});
