import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "#e2e/until.ts";
import { Receiver } from "#e2e/webhooks/receiver.ts";
import { copyCluster } from "./copy-cluster.ts";
import { freshDataDir } from "./data-dir.ts";
import { Project } from "./project.ts";
import { Supervisor } from "./supervisor.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const HOSTS = { WEBHOOK_ALLOW_HOSTS: "127.0.0.1" };

const DATA_DIR = freshDataDir();
const ELSEWHERE = freshDataDir();
let receiver: Receiver;
let stack: Supervisor;
let project: Project;

beforeAll(async () => {
  receiver = await Receiver.start();
  stack = await Supervisor.ready({ DATA_DIR, ...HOSTS });
  project = new Project(stack, DATA_DIR);
});
afterAll(async () => {
  await receiver.stop();
  await stack.end("SIGTERM");
});

const command = (name: string, ...args: string[]) =>
  run(process.execPath, [join(ROOT, "bin", `${name}.ts`), ...args], {
    env: { ...process.env, DATA_DIR: ELSEWHERE },
  });

type Delivery = { status: string; event_id: string; attempts: { cause: string; status: string }[] };

test("a backup restored elsewhere verifies, and marks what it delivers again", async () => {
  const webhook = async (path: string, status: number) => {
    await receiver.behave(path, { status, secrets: [SECRET] });
    const { id } = await project.call<{ id: string }>("POST", "/v1/webhooks", {
      url: receiver.url(path),
      events: ["exception.created"],
      secret: SECRET,
    });
    return id;
  };
  const [sound, failing] = [await webhook("/sound", 204), await webhook("/failing", 500)];
  await project.call("POST", "/v1/exceptions", { title: "Before the backup", severity: "low" });
  await receiver.gets("/sound", 1);
  await receiver.gets("/failing", 1);
  const settled = () =>
    project.sql(
      "select from public.webhook_deliveries where webhook_id = $1 and status = 'delivered'",
      [sound],
    );
  await until("the delivery to be recorded", async () => (await settled()).length === 1);
  // Postpones the retry until the backup is made.
  const postponeRetry = `update public.webhook_deliveries set next_attempt_at = now() + interval '1 hour'
    where webhook_id = $1 and status = 'pending' and lease is null and failure_count = 1
    returning id`;
  await until(
    "the failure to be recorded",
    async () => (await project.sql(postponeRetry, [failing])).length === 1,
  );

  await copyCluster(project, DATA_DIR, ELSEWHERE);

  // After the backup, the failing receiver gets its delivery, and another event is sent.
  await receiver.behave("/failing", { status: 204, secrets: [SECRET] });
  await project.sql(
    "update public.webhook_deliveries set next_attempt_at = now() where status = 'pending'",
  );
  await receiver.gets("/failing", 2);
  await project.call("POST", "/v1/exceptions", { title: "After the backup", severity: "low" });
  await receiver.gets("/sound", 2);
  await receiver.gets("/failing", 3);
  await stack.end("SIGTERM");
  const before = { sound: receiver.at("/sound").length, failing: receiver.at("/failing").length };

  stack = await Supervisor.ready({ DATA_DIR: ELSEWHERE, ...HOSTS, WORKER_CONCURRENCY: "0" });
  project = new Project(stack, ELSEWHERE);
  const { stdout: verified } = await command("audit", "verify");
  expect(verified).toContain("acme");
  expect((await command("db", "restored")).stdout).toBe(
    "Marked 1 pending deliveries as recoveries. Workers can start.\n",
  );
  expect(
    (await project.sql("select from public.exceptions where title = 'After the backup'")).length,
  ).toBe(0);
  await project.sql(
    "update public.webhook_deliveries set next_attempt_at = now() where status = 'pending'",
  );
  await stack.end("SIGTERM");

  stack = await Supervisor.ready({ DATA_DIR: ELSEWHERE, ...HOSTS });
  project = new Project(stack, ELSEWHERE);
  await receiver.gets("/failing", before.failing + 1);
  const { items } = await project.call<{ items: { id: string }[] }>(
    "GET",
    `/v1/webhooks/${failing}/deliveries`,
  );
  const get = () =>
    project.call<Delivery>("GET", `/v1/webhooks/${failing}/deliveries/${items[0]?.id}`);
  await until("the recovery to be recorded", async () => (await get()).status === "delivered");
  const { attempts, event_id } = await get();
  expect(attempts.map(({ cause }) => cause).sort()).toEqual(["event", "recover"]);
  // The receiver can recognize the repetition, because it has seen this webhook-id before.
  const ids = receiver.at("/failing").map(({ headers }) => headers["webhook-id"]);
  expect([ids.at(-1), ids.slice(0, before.failing).includes(event_id)]).toEqual([event_id, true]);
  // Deliveries that were recorded before the backup are not sent again.
  expect(receiver.at("/sound").length).toBe(before.sound);
});
