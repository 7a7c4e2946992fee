import type { TaskList } from "graphile-worker";
import { log } from "../runtime/log.ts";
import { registry } from "../runtime/metrics.ts";
import { startTelemetry } from "../runtime/start-telemetry.ts";
import { Jobs } from "./jobs.ts";
import { startListener } from "./listener.ts";
import type { Service } from "./service.ts";
import { startStatusServer } from "./status-server.ts";
import { tracedTasks } from "./traced-tasks.ts";

/** Below the 6 s that the supervisor waits. */
const STOP_TIMEOUT_MS = 5_500;
const JOB_STOPS_TIMEOUT_MS = 5_000;

export type BackgroundOptions = {
  kind: "worker" | "matcher";
  /** Direct, or through a pooler in session mode, because graphile-worker uses LISTEN. */
  directUrl: string;
  tasks: TaskList;
  /** https://worker.graphile.org/docs/cron */
  crontab: string;
  concurrentJobs: number;
  /** The maximum number of concurrent jobs by flag. */
  maxConcurrent?: (flag: string) => number;
  /** What the process runs continuously, besides jobs. */
  vitals: Service[];
  /** Handlers of each topic, called when `private.notify(topic, what)` commits. */
  handlers: Record<string, (name: string) => void>;
  /** Looks for work, because notifications may have been missed. */
  onListening: () => void;
};

/**
 * Runs a background process until it is stopped: jobs, notifications, heartbeat. If a service can't
 * recover, the process exits and the supervisor starts another. Sends "ready" to its parent once
 * all services are healthy.
 */
export async function runInBackground({
  kind,
  directUrl,
  tasks,
  crontab,
  concurrentJobs,
  maxConcurrent,
  vitals,
  handlers,
  onListening,
}: BackgroundOptions): Promise<void> {
  const endTelemetry = await startTelemetry(kind, async () => registry());
  const jobs = new Jobs({
    connectionString: directUrl,
    tasks: tracedTasks(tasks),
    crontab,
    concurrentJobs,
    ...(maxConcurrent && { maxConcurrent }),
    stopTimeoutMs: JOB_STOPS_TIMEOUT_MS,
    onEnd(error) {
      log.fatal({ err: error }, "the pool of jobs ended");
      void end(1);
    },
  });
  const listener = startListener({
    connectionString: directUrl,
    kind,
    handlers,
    onListening,
    jobs,
    vitals,
    onWorking() {
      log.info({ pool: jobs.pool, tasks: Object.keys(tasks) }, "working");
      process.send?.("ready");
    },
    onStuck(name) {
      log.fatal({ what: name }, "stuck: a new process must take over");
      void end(1);
    },
  });

  startStatusServer([jobs, listener, ...vitals]);

  let ending = false;
  /** Lets the services finish and save their work, for at most 5.5 s. */
  async function end(code: number): Promise<void> {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(code), STOP_TIMEOUT_MS);
    await Promise.allSettled([listener, jobs, ...vitals].map((vital) => vital.stop()));
    await endTelemetry();
    process.exit(code);
  }
  process.once("SIGTERM", () => end(0));
}
