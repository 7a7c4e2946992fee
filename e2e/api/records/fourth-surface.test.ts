import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createTenant, sql, stack, uniqueName, userToken } from "#e2e/fixtures.ts";
import { openApiDocument } from "#lib/openapi/document.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import { SCOPES } from "#lib/wire/scopes.ts";
import { operationRows } from "../../../bin/dev/generate/operations.ts";
import { stackEnvironment } from "../../../supervisor/stack-file.ts";

// One declaration is added to the list. The routes run in this process, against the stack's
// database.
vi.mock("#lib/records/surfaces/every-surface.ts", async (original) => {
  const { SURFACES } = await original<typeof import("#lib/records/surfaces/every-surface.ts")>();
  const { flag, line, settings, surface } = await import("#lib/records/surfaces/surface.ts");
  const runbooks = surface({
    path: "runbooks",
    title: "Runbooks",
    noun: "runbook",
    description: "What to do when.",
    public: false,
    fields: { title: line("Title"), steps: settings("Steps"), tested: flag("Tested") },
    columns: ["title", "tested"],
    example: { title: "Restart the matcher", steps: { first: "Look at the queue." }, tested: true },
  });
  return { SURFACES: [...SURFACES, runbooks] };
});

type Route = Record<
  string,
  (request: Request, context: { params: Promise<Record<string, string>> }) => Promise<Response>
>;

const PATHS = ["/v1/runbooks", "/v1/runbooks/{id}", "/v1/runbooks/{id}/restore"];

let tenant: string;
let bearer: string;
beforeAll(async () => {
  Object.assign(process.env, stackEnvironment());
  tenant = await createTenant();
  bearer = await userToken(tenant, ["tenant_admin"]);
  // What `npm run generate` would write into the schemas.
  await sql(operationRows(CONTRACTS.filter(({ path }) => PATHS.includes(path))));
});
afterAll(async () => {
  await sql("delete from private.operations where permission like '%:runbooks'");
  await sql("delete from private.permissions where permission like '%:runbooks'");
});

/** Routes a request as Next does: by the path's route file, with dynamic segments as parameters. */
async function serve(
  method: string,
  path: string,
  { body, as = bearer }: { body?: object; as?: string } = {},
) {
  const [, , , id, action] = new URL(path, "http://localhost").pathname.split("/");
  const file = `../../../app/v1/[surface]${id ? "/[id]" : ""}${action ? "/restore" : ""}/route.ts`;
  const route: Route = await import(file);
  const request = new Request(`http://localhost${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${as}`,
      "X-Tenant-Id": tenant,
      "Content-Type": "application/json",
    },
    body: body && JSON.stringify(body),
  });
  const response = await route[method]?.(request, {
    params: Promise.resolve({ surface: "runbooks", ...(id && { id }) }),
  });
  if (!response) throw new Error(`${path} does not export ${method}.`);
  return { status: response.status, json: await response.json(), headers: response.headers };
}

describe("a fourth surface is one declaration", () => {
  test("it has its scopes", () => {
    expect(SCOPES).toEqual(expect.arrayContaining(["read:runbooks", "write:runbooks"]));
  });

  test("it has its contracts", () => {
    const own = CONTRACTS.filter(({ path }) => PATHS.includes(path));
    expect(own.map(({ operationId }) => operationId).sort()).toEqual([
      "createRunbook",
      "deleteRunbook",
      "getRunbook",
      "listRunbooks",
      "restoreRunbook",
      "updateRunbook",
    ]);
  });

  test("it is in the OpenAPI document, with its fields", () => {
    const { paths, components, tags } = JSON.parse(JSON.stringify(openApiDocument()));
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(PATHS));
    expect(components.schemas.Runbook.properties).toHaveProperty("tested");
    expect(tags).toContainEqual({ name: "Runbooks", description: "What to do when." });
  });

  test("it can be created, found, changed, deleted and restored", async () => {
    const idempotencyKey = uniqueName("key");
    const created = await serve("POST", "/v1/runbooks", {
      body: { idempotencyKey, title: "Restart the matcher", owner: "ops" },
    });
    expect(created.status).toBe(201);
    const again = await serve("POST", "/v1/runbooks", {
      body: { idempotencyKey, title: "Restart the matcher", owner: "ops" },
    });
    expect(again.json).toEqual(created.json);
    const at = `/v1/runbooks/${created.json.id}`;
    expect((await serve("GET", "/v1/runbooks?q=matcher")).json.items).toEqual([created.json]);
    expect((await serve("PATCH", at, { body: { tested: true } })).json).toMatchObject({
      tested: true,
      owner: "ops",
    });
    expect((await serve("PATCH", at, { body: { tested: "yes" } })).json.errors[0].path).toBe(
      "tested",
    );
    expect(
      (await serve("PATCH", at, { body: { steps: { api_key: "x" } } })).json.errors[0].path,
    ).toBe("steps.api_key");
    expect((await serve("DELETE", at)).json).toMatchObject({ soft_delete: true });
    expect((await serve("GET", at)).status).toBe(404);
    expect((await serve("POST", `${at}/restore`)).json).toMatchObject({
      soft_delete: false,
      tested: true,
    });
  });

  test("its scopes open it to API keys and to no others", async () => {
    const { POST } = await import("../../../app/v1/tenants/[id]/api-keys/route.ts");
    const keyWith = async (scope: string) => {
      const request = new Request(`http://localhost/v1/tenants/${tenant}/api-keys`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${bearer}`,
          "X-Tenant-Id": tenant,
          "Content-Type": "application/json",
        },
        body: JSON.stringify({ name: "Runbooks", scopes: [scope] }),
      });
      const { key_id, key_secret } = await (
        await POST(request, { params: Promise.resolve({ id: tenant }) })
      ).json();
      return `${key_id}.${key_secret}`;
    };
    const [reader, writer, other] = await Promise.all(
      ["read:runbooks", "write:runbooks", "read:integrations"].map(keyWith),
    );
    const body = { idempotencyKey: uniqueName("key"), title: "By a key" };
    expect((await serve("POST", "/v1/runbooks", { as: reader, body })).json.code).toBe(
      "scope_required",
    );
    expect((await serve("POST", "/v1/runbooks", { as: writer, body })).status).toBe(201);
    expect((await serve("GET", "/v1/runbooks", { as: reader })).json.items).toHaveLength(2);
    expect((await serve("GET", "/v1/runbooks", { as: writer })).json.code).toBe("scope_required");
    expect((await serve("GET", "/v1/runbooks", { as: other })).json.code).toBe("scope_required");
    expect((await serve("GET", "/v1/runbooks", { as: stack.publishableKey })).json.code).toBe(
      "role_required",
    );
  });

  test("doesn't exist without a declaration", async () => {
    const response = await fetch(`${stack.url}/v1/runbooks`, {
      headers: { Authorization: `Bearer ${bearer}`, "X-Tenant-Id": tenant },
    });
    expect(response.status).toBe(404);
  });
});
