import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { SignJWT } from "jose";
import { expect, test } from "vitest";
import { WHOLE } from "#e2e/gate.ts";
import { until } from "#e2e/until.ts";
import { freshDataDir } from "./data-dir.ts";
import { runs, Supervisor, stackOf } from "./supervisor.ts";

test.runIf(WHOLE)("SIGTERM ends every part, in order, and the supervisor with 0", async () => {
  const stack = await Supervisor.ready({ DATA_DIR: freshDataDir() });
  expect(stack.pids.every(runs)).toBe(true);

  expect(await stack.end("SIGTERM")).toBe(0);

  expect(stack.pids.some(runs)).toBe(false);
  const stopped = stack.entries
    .filter(({ part, msg }) => part === "supervisor" && msg.endsWith("stopped"))
    .map(({ msg }) => msg);
  expect(stopped).toEqual([
    "web stopped",
    "matcher stopped",
    "worker stopped",
    "data-api stopped",
    "postgres stopped",
    "stopped",
  ]);
});

test("a request under way during a stop is completed", async () => {
  const DATA_DIR = freshDataDir();
  const stack = await Supervisor.ready({ DATA_DIR });
  // The server sends 100 Continue once it handles the request.
  const headers = { ...(await credential(DATA_DIR)), Expect: "100-continue" };
  const call = request({ port: stack.port, path: "/v1/exceptions", method: "POST", headers });
  const answer = once(call, "response");
  call.flushHeaders();
  await once(call, "continue");
  call.write('{"title": "Underpaid invoice", ');

  const ended = stack.end("SIGTERM");
  await until("the stop to begin", () => stack.says("stopping: SIGTERM"));
  call.end('"severity": "high", "due_at": "2099-01-01T00:00:00Z"}');

  const [response] = (await answer) as [IncomingMessage];
  expect(response.statusCode).toBe(201);
  response.resume();
  expect(await ended).toBe(0);
});

test.runIf(WHOLE)("a stop during startup ends everything that was started", async () => {
  const stack = await Supervisor.start({ DATA_DIR: freshDataDir() });
  await until("Postgres to start", () => stack.says("postgres started"));

  expect(await stack.end("SIGTERM")).toBe(0);

  expect(runs(stack.pidOf("postgres"))).toBe(false);
});

test.runIf(WHOLE)(
  "a supervisor killed with -9 leaves no process, and the next start succeeds",
  async () => {
    const DATA_DIR = freshDataDir();
    const killed = await Supervisor.ready({ DATA_DIR });
    for (const part of ["web", "worker", "data-api"] as const)
      process.kill(killed.pidOf(part), "SIGSTOP");

    await killed.end("SIGKILL");
    const next = await Supervisor.ready({ DATA_DIR, PORT: String(killed.port) });

    expect(killed.pids.some(runs)).toBe(false);
    expect(await next.end("SIGTERM")).toBe(0);
  },
);

async function credential(dataDir: string): Promise<Record<string, string>> {
  const { AUTH_JWT_SECRET } = stackOf(dataDir).env;
  const token = await new SignJWT({ sub: "ada", tenants: { acme: ["tenant_admin"] } })
    .setProtectedHeader({ alg: "HS256" })
    .setExpirationTime("5m")
    .sign(new TextEncoder().encode(AUTH_JWT_SECRET));
  return {
    Authorization: `Bearer ${token}`,
    "X-Tenant-Id": "acme",
    "Content-Type": "application/json",
  };
}
