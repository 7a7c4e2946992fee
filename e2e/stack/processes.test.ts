import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "#e2e/until.ts";
import { freshDataDir } from "./data-dir.ts";
import { Project } from "./project.ts";
import { runs, Supervisor } from "./supervisor.ts";

const DATA_DIR = freshDataDir();
let stack: Supervisor;
let project: Project;
beforeAll(async () => {
  stack = await Supervisor.ready({
    DATA_DIR,
    WEB_CONCURRENCY: "2",
    WORKER_CONCURRENCY: "2",
    RATE_LIMIT_PER_MINUTE: "0",
  });
  project = new Project(stack, DATA_DIR);
});
afterAll(() => stack.end("SIGTERM"));

type Ready = { status: string; working: { worker: number } };
const working = async () =>
  ((await (await fetch(`http://127.0.0.1:${stack.port}/readyz`)).json()) as Ready).working.worker;

/** The PIDs of the web processes, the first started first. */
function webs(): number[] {
  const children = (pid: number) =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
  return children(stack.pidOf("web"));
}

describe("two web processes on one port and two workers", () => {
  test("start ready, and readiness counts the workers", async () => {
    expect(webs()).toHaveLength(2);
    expect(await working()).toBe(2);
  });

  test("are replaced one by one, while every call is answered", async () => {
    const [before, workers] = [webs(), ["worker-1", "worker-2"].map((name) => stack.pidOf(name))];
    const statuses: unknown[] = [];
    let over = false;
    const headers = { ...(await project.headers()), Connection: "close" };
    const callers = Array.from({ length: 4 }, async () => {
      while (!over) {
        const answer = await fetch(`http://127.0.0.1:${stack.port}/v1/me`, { headers }).catch(
          (error: Error) => error.cause ?? error,
        );
        statuses.push(answer instanceof Response ? answer.status : answer);
        if (answer instanceof Response) await answer.arrayBuffer();
        await sleep(10);
      }
    });

    stack.process.kill("SIGUSR2");
    await until("both workers to be replaced", () =>
      ["worker-1", "worker-2"].every((name, n) => stack.pidOf(name) !== workers[n]),
    );
    await until("both web processes to be replaced", () =>
      stack.entries.some(({ msg }) => msg === "web processes replaced"),
    );
    over = true;
    await Promise.all(callers);

    expect(webs()).toHaveLength(2);
    expect(webs().filter((pid) => before.includes(pid))).toEqual([]);
    expect(statuses.length).toBeGreaterThan(20);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(await working()).toBeGreaterThanOrEqual(2);
  });

  test("continue when one of each is killed and replaced", async () => {
    const [web = 0, other] = webs();
    const [worker, second] = [stack.pidOf("worker-1"), stack.pidOf("worker-2")];
    for (const pid of [web, worker]) process.kill(pid, "SIGKILL");

    // Only requests that the killed process was handling are lost.
    await until("the other one to answer", async () => (await stack.get("/readyz")) === 200);
    await until("another web process", () => webs().length === 2 && !webs().includes(web));
    await until("another worker", () => stack.pidOf("worker-1") !== worker);

    expect(webs()).toContain(other);
    expect(stack.pidOf("worker-2")).toBe(second);
    expect(runs(stack.pidOf("web"))).toBe(true);
  });

  test("are replaced even if one of them is killed during the replacement", async () => {
    const replaced = () =>
      stack.entries.filter(({ msg }) => msg === "web processes replaced").length;
    const [before, replacedBefore] = [webs(), replaced()];
    stack.process.kill("SIGUSR2");
    process.kill(before[1] ?? 0, "SIGKILL");
    await until("the web processes to be replaced", () => replaced() > replacedBefore);
    await until("two web processes", () => webs().length === 2);
    expect(webs().filter((pid) => before.includes(pid))).toEqual([]);
    await until("them to respond", async () => (await stack.get("/readyz")) === 200);
  });

  test("end with the supervisor, even after a crash", async () => {
    const pids = [
      ...webs(),
      ...["web", "worker-1", "worker-2", "data-api", "postgres"].map((name) => stack.pidOf(name)),
    ];
    await stack.end("SIGKILL");
    await until("all of them to end", () => !pids.some(runs));
    const next = await Supervisor.ready({
      DATA_DIR,
      PORT: String(stack.port),
      WEB_CONCURRENCY: "2",
      WORKER_CONCURRENCY: "2",
      RATE_LIMIT_PER_MINUTE: "0",
    });
    expect(await next.end("SIGTERM")).toBe(0);
  });
});
