import { threadId, Worker } from "node:worker_threads";
import { afterEach, expect, test } from "vitest";
import { Threads } from "./threads.ts";

const THREAD = `
  import { threadId } from "node:worker_threads";
  import { ApiError } from ${JSON.stringify(import.meta.resolve("../wire/errors.ts"))};
  import { serveTasks } from ${JSON.stringify(import.meta.resolve("./serve-tasks.ts"))};
  const TASKS = {
    where: () => threadId,
    refuse: () => { throw new ApiError("invalid_request", "No.", { errors: [{ path: "a", message: "b" }] }); },
    fail: () => { throw Object.assign(new TypeError("broken"), { of: () => {} }); },
    die: () => process.exit(1),
    untilStopped: (port) => new Promise((end) => { port.postMessage({ type: "begun" }); port.once("message", end); }),
  };
  serveTasks((task, port) => TASKS[task](port));
`;

const workers: Worker[] = [];
const begin = () => {
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`));
  workers.push(worker);
  return worker;
};
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.terminate()));
});

test("a task is done in another thread, and the next in the same", async () => {
  const threads = new Threads<string>({ name: "test", begin, max: 2 });
  const first = await threads.ask<number>("where");
  expect(first).not.toBe(threadId);
  expect(await threads.ask("where")).toBe(first);
  expect(workers).toHaveLength(1);
});

test("tasks at once have as many threads as there may be, and beyond as many as may wait none is begun", async () => {
  const threads = new Threads<string>({ name: "test", begin, max: 2, maxTasks: 3 });
  const asked = [
    threads.ask<number>("where"),
    threads.ask<number>("where"),
    threads.ask<number>("where"),
  ];
  await expect(threads.ask("where")).rejects.toMatchObject({
    code: "unavailable",
    headers: { "Retry-After": "2" },
  });
  expect(new Set(await Promise.all(asked)).size).toBe(2);
});

test("what a task throws is thrown to who asked", async () => {
  const threads = new Threads<string>({ name: "test", begin, max: 1 });
  await expect(threads.ask("refuse")).rejects.toMatchObject({
    code: "invalid_request",
    errors: [{ path: "a", message: "b" }],
  });
  await expect(threads.ask("fail")).rejects.toMatchObject({ name: "TypeError", message: "broken" });
});

test("who asked a thread that dies is told, and another takes its place", async () => {
  const threads = new Threads<string>({ name: "test", begin, max: 1 });
  await expect(threads.ask("die")).rejects.toMatchObject({ code: "unavailable" });
  expect(await threads.ask("where")).not.toBe(threadId);
});

test("a task that is to stop hears it", async () => {
  const threads = new Threads<string>({ name: "test", begin, max: 1 });
  const stop = new AbortController();
  await threads.ask("untilStopped", { signal: stop.signal, onMessage: () => stop.abort() });
  expect(stop.signal.aborted).toBe(true);
});
