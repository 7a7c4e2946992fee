import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, test } from "vitest";
import { api, createTenant, sql, stack, userToken } from "#e2e/fixtures.ts";
import { expectProblem } from "../contracts/conformance.ts";

let tenant: string;
let bearer: string;
beforeAll(async () => {
  tenant = await createTenant();
  bearer = await userToken(tenant, ["tenant_admin"]);
});

const { hostname, port, host } = new URL(stack.url);

/** Sends a request line and headers unchanged, even those that no HTTP client would send. */
async function raw(
  line: string,
  headers: string[] = [],
  named = host,
): Promise<{ status: number; head: string; body: string }> {
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const auth = [`Authorization: Bearer ${bearer}`, `X-Tenant-Id: ${tenant}`];
  socket.write(
    Buffer.from(
      [line, `Host: ${named}`, "Connection: close", ...auth, ...headers, "", ""].join("\r\n"),
      "latin1",
    ),
  );
  const [head = "", rest = ""] = (await text(socket)).split(/\r\n\r\n([\s\S]*)/);
  const isChunked = /^transfer-encoding: chunked$/im.test(head);
  return { status: Number(head.split(" ")[1]), head, body: isChunked ? joined(rest) : rest };
}

/** The content of a chunked body, which must be ASCII. */
function joined(chunks: string): string {
  const [, length = "0", rest = ""] = /^([0-9a-f]+)\r\n([\s\S]*)$/i.exec(chunks) ?? [];
  const size = Number.parseInt(length, 16);
  return size === 0 ? "" : rest.slice(0, size) + joined(rest.slice(size + 2));
}

describe("a query is read strictly", () => {
  test.each([
    ["__proto__=1", "__proto__"],
    ["%5F_proto__=", "__proto__"],
    ["q=%ff", "q"],
    ["q=%e4%b8", "q"],
    ["q=%zz", "q"],
    ["%ff=1", ""],
    ["q=%00", "q"],
    ["q=%ed%a0%80", "q"],
    ["q=a&q=b", "q"],
    ["q=a&%71=b", "q"],
    ["_rsc=abc", "_rsc"],
    ["nxtPid=1", "nxtPid"],
    ["constructor=1", "constructor"],
  ])("?%s is refused", async (query, path) => {
    const { status, body } = await raw(`GET /v1/exceptions?${query} HTTP/1.1`);
    expect(
      [status, (JSON.parse(body) as { errors: { path: string }[] }).errors[0]?.path],
      body,
    ).toEqual([400, path]);
  });

  test.each(["", "&&", "q=a+b", "q=a=b", "limit=%35%30", "q=%F0%9F%91%8D"])(
    "?%s is accepted",
    async (query) => {
      expect((await raw(`GET /v1/exceptions?${query} HTTP/1.1`)).status).toBe(200);
    },
  );

  test("the query of a path with parameters is read as strictly", async () => {
    const { status } = await raw(`GET /v1/tenants/${tenant}/api-keys?q=%ff HTTP/1.1`);
    expect(status).toBe(400);
  });

  test("non-ASCII bytes in a target are refused", async () => {
    expect((await raw("GET /v1/exceptions?q=\u00e9 HTTP/1.1")).status).toBe(400);
  });
});

describe("refuses with a reason what is too long", () => {
  test("an address", async () => {
    const long = await api("GET", "/v1/exceptions", {
      bearer,
      tenant,
      query: { q: "x".repeat(9000) },
    });
    expectProblem(long, "uri_too_long");
    expect((await raw(`GET /v1/exceptions?q=${"x".repeat(60_000)} HTTP/1.1`)).status).toBe(414);
  });

  test("headers", async () => {
    expectProblem(
      await api("GET", "/v1/me", { bearer, tenant, headers: { "X-Note": "x".repeat(20_000) } }),
      "headers_too_large",
    );
    const { status, head } = await raw("GET /v1/me HTTP/1.1", [`X-Note: ${"x".repeat(300_000)}`]);
    expect([status, head]).toEqual([431, expect.stringMatching(/x-request-id: req_/i)]);
    // More bytes than fit in transit, so the client is still sending when the response arrives.
    expect((await raw("GET /v1/me HTTP/1.1", [`X-Note: ${"x".repeat(5_000_000)}`])).status).toBe(
      431,
    );
  });

  test("a reason for the audit trail", async () => {
    const because = (reason: string) =>
      api("GET", "/v1/me", {
        bearer: stack.secretKey,
        tenant,
        headers: { "X-Audit-Reason": reason },
      });
    expect((await because("x".repeat(1000))).status).toBe(200);
    expectProblem(await because("x".repeat(1001)), "invalid_request");
  });
});

test("an audit reason is UTF-8 and stored as sent", async () => {
  const reason = "Prüfung für Zürich 🔍";
  const latin1 = (value: string) => Buffer.from(value).toString("latin1");
  const answer = await api("GET", "/v1/me", {
    bearer: stack.secretKey,
    tenant,
    headers: { "X-Audit-Reason": latin1(reason) },
  });
  expect(answer.status).toBe(200);
  const recorded = await sql<{ reason: string }>(
    "select reason from public.security_events where request_id = $1",
    [answer.headers.get("x-request-id")],
  );
  expect(recorded).toEqual([{ reason }]);
  expectProblem(
    await api("GET", "/v1/me", {
      bearer: stack.secretKey,
      tenant,
      headers: { "X-Audit-Reason": "Pr\u00fcfung" },
    }),
    "invalid_request",
  );
});

describe("a request target is accepted", () => {
  test("in absolute form", async () => {
    const { status, body } = await raw(`GET http://${host}/v1/me HTTP/1.1`);
    expect([status, JSON.parse(body)]).toEqual([
      200,
      expect.objectContaining({ tenant_id: tenant }),
    ]);
    expect((await raw(`GET https://elsewhere.example/v1/exceptions?limit=1 HTTP/1.1`)).status).toBe(
      200,
    );
    expect((await raw("GET ftp://elsewhere.example/v1/me HTTP/1.1")).status).toBe(400);
  });

  test("in asterisk form", async () => {
    const { status, head } = await raw("OPTIONS * HTTP/1.1");
    expect([status, head]).toEqual([
      204,
      expect.stringMatching(/allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS/i),
    ]);
    expect((await raw("GET * HTTP/1.1")).status).toBe(400);
  });

  test.each(["/v1/../v2/me", "/v1/exceptions/%2e%2e/me", "/docs/./x", "/acme/.."])(
    "only without dot segments: %s",
    async (path) => {
      for (const method of ["GET", "POST"])
        expect((await raw(`${method} ${path} HTTP/1.1`)).status).toBe(400);
    },
  );

  test.each(["x/v1/fake?a=", "user@elsewhere.example", "a b", "x#y", "x:port"])(
    "only with a valid host: %s",
    async (named) => {
      expect((await raw("GET /v1/me HTTP/1.1", [], named)).status).toBe(400);
    },
  );

  test("only with a single host", async () => {
    expect((await raw("GET /v1/me HTTP/1.1", ["Host: elsewhere.example"])).status).toBe(400);
  });
});

test.each([
  { RSC: "1" },
  { RSC: "1", "Next-Router-Prefetch": "1" },
  { RSC: "1", "Next-Router-State-Tree": "%5B%22%22%5D", "Next-Url": "/acme" },
  { "Next-Action": "x" },
] as Record<string, string>[])(
  "headers of page requests have no effect on /v1: %j",
  async (headers) => {
    const plain = await api("GET", "/v1/exceptions", { bearer, tenant });
    const answer = await api("GET", "/v1/exceptions", { bearer, tenant, headers });
    expect([answer.status, answer.text, answer.headers.get("content-type")]).toEqual([
      200,
      plain.text,
      "application/json",
    ]);
  },
);

describe("a wrong base path returns a problem, and no redirect to sign in", () => {
  test.each([
    "/v2/exceptions",
    "/v0",
    "/V1/me",
    "/api/v1/exceptions",
    "/api",
    "/api/",
    "/api/v1",
    "/v10/x",
    "/api/graphql",
    "/api/auth",
    "/api/account",
    "/api/account/nobody",
    "/api/account/forgot/x",
  ])("%s", async (path) => {
    for (const method of ["GET", "POST"])
      expectProblem(await api(method, path, { bearer, tenant }), "not_found");
  });
});

describe("a path is read strictly", () => {
  test.each(["/v1/me/", "/v1//me", "/v1/exceptions//", "/v1/"])(
    "GET %s is 404, and never a redirect that would lose the credential",
    async (path) => {
      const { status, head } = await raw(`GET ${path} HTTP/1.1`);
      expect(status).toBe(404);
      expect(head).not.toMatch(/^location:/im);
    },
  );
});

test("a cursor works only in the list that returned it", async () => {
  const body = { title: "One of two", severity: "low" };
  for (let nth = 0; nth < 2; nth++) {
    const created = await api("POST", "/v1/exceptions", { bearer, tenant, body });
    expect(created.headers.get("location")).toBe(
      `/v1/exceptions/${(created.json as { id: string }).id}`,
    );
  }
  const page = (query: Record<string, string>) =>
    api("GET", "/v1/exceptions", { bearer, tenant, query });
  const { next_cursor } = (await page({ limit: "1", severity: "low" })).json as {
    next_cursor: string;
  };
  expect((await page({ limit: "2", severity: "low", cursor: next_cursor })).status).toBe(200);
  expect((await page({ limit: "1", severity: "high", cursor: next_cursor })).status).toBe(400);
});
