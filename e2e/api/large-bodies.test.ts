import { Agent, request } from "node:http";
import { afterAll, expect, test } from "vitest";
import { createTenant, stack, userToken } from "#e2e/fixtures.ts";

const MIB = 1024 * 1024;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterAll(() => agent.destroy());

type Answer = { status: number | undefined; connection: string | undefined };

/** Posts on the agent's single connection. */
async function post(path: string, bytes: number): Promise<Answer> {
  const tenant = await createTenant();
  const headers = {
    Authorization: `Bearer ${await userToken(tenant, ["tenant_admin"])}`,
    "X-Tenant-Id": tenant,
    "Content-Type": "application/json",
    "Content-Length": bytes,
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${stack.url}${path}`, { method: "POST", agent, headers }, (response) => {
      response.resume();
      response.on("end", () =>
        resolve({ status: response.statusCode, connection: response.headers.connection }),
      );
    });
    sent.on("error", reject);
    sent.end(Buffer.alloc(bytes, " "));
  });
}

test.each([
  ["/v1/exceptions", 3 * MIB],
  ["/v1/integrations", MIB],
])("the connection stays usable after a body that is too large for %s", async (path, bytes) => {
  expect(await post(path, bytes)).toEqual({ status: 413, connection: "keep-alive" });
  expect((await post(path, 2)).status).toBe(400);
});

test("a connection that sends far too much is closed", async () => {
  // A client that still sends when the connection closes may see the reset before the response
  // (RFC 9112, section 9.6).
  const answer = await post("/v1/exceptions", 30 * MIB).catch(
    ({ code }: NodeJS.ErrnoException) => code,
  );
  expect([{ status: 413, connection: "close" }, "EPIPE", "ECONNRESET"]).toContainEqual(answer);
  expect((await post("/v1/exceptions", 2)).status).toBe(400);
});
