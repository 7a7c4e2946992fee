import { threadId, Worker } from "node:worker_threads";
import { afterEach, expect, test } from "vitest";
import { Threads } from "./threads.ts";

const THREAD = `
  import { threadId } from "node:worker_threads";
  import { ApiError } from ${JSON.stringify(import.meta.resolve("../wire/errors.ts"))};
  import { serveTasks } from ${JSON.stringify(import.meta.resolve("./serve-tasks.ts"))};
  const TASKS = {
    where: () => threadId,
    refuse: () => {
      const errors = [{ path: "a", message: "b" }];
      throw new ApiError("invalid_request", "No.", { errors });
    },
    fail: () => { throw Object.assign(new TypeError("broken"), { of: () => {} }); },
    die: () => process.exit(1),
    untilStopped: (port) =>
      new Promise((end) => {
        port.postMessage({ type: "begun" });
        port.once("message", end);
      }),
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

test("runs a task in another thread and reuses that thread for the next", async () => {
  const threads = new Threads<string>({ name: "test", begin, max: 2 });
  const first = await threads.run<number>("where");
  expect(first).not.toBe(threadId);
  expect(await threads.run("where")).toBe(first);
  expect(workers).toHaveLength(1);
});

test("starts at most `max` threads and rejects tasks over `maxTasks`", async () => {
  const threads = new Threads<string>({ name: "test", begin, max: 2, maxTasks: 3 });
  const tasks = [
    threads.run<number>("where"),
    threads.run<number>("where"),
    threads.run<number>("where"),
  ];
  await expect(threads.run("where")).rejects.toMatchObject({
    code: "unavailable",
    headers: { "Retry-After": "2" },
  });
  expect(new Set(await Promise.all(tasks)).size).toBe(2);
});

test("throws the error of a task to its caller", async () => {
  const threads = new Threads<string>({ name: "test", begin, max: 1 });
  await expect(threads.run("refuse")).rejects.toMatchObject({
    code: "invalid_request",
    errors: [{ path: "a", message: "b" }],
  });
  await expect(threads.run("fail")).rejects.toMatchObject({ name: "TypeError", message: "broken" });
});

test("fails the task of a thread that dies, and replaces the thread", async () => {
  const threads = new Threads<string>({ name: "test", begin, max: 1 });
  await expect(threads.run("die")).rejects.toMatchObject({ code: "unavailable" });
  expect(await threads.run("where")).not.toBe(threadId);
});

test("tells a task to stop when its signal aborts", async () => {
  const threads = new Threads<string>({ name: "test", begin, max: 1 });
  const stop = new AbortController();
  await threads.run("untilStopped", { signal: stop.signal, onMessage: () => stop.abort() });
  expect(stop.signal.aborted).toBe(true);
});
