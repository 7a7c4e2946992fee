import { EventEmitter } from "node:events";
import {
  type Job,
  Logger,
  type Runner,
  run,
  type TaskList,
  type WorkerEvents,
} from "graphile-worker";
import { log } from "../runtime/log.ts";
import { durationHistogram, gauge } from "../runtime/metrics.ts";
import { PRODUCT_ID } from "../wire/product.ts";
import { RetryingPool } from "./retrying-pool.ts";
import { LATE_MS, type Service } from "./service.ts";

const CONNECT_TIMEOUT_MS = 5_000;
const START_AGAIN_AFTER_MS = 2_000;
/** Ends a connection whose other end is gone. */
const STATEMENT_TIMEOUT_MS = 60_000;

export type JobsOptions = {
  /** Direct, or through a pooler in session mode, because graphile-worker uses LISTEN. */
  connectionString: string;
  tasks: TaskList;
  /** https://worker.graphile.org/docs/cron */
  crontab: string;
  concurrentJobs: number;
  /**
   * The maximum number of concurrent jobs of this process that carry `flag`. Jobs over it wait
   * without delaying the jobs behind them. Without it, there is no limit.
   */
  maxConcurrent?: (flag: string) => number;
  /** How long running jobs may continue after `stop`. */
  stopTimeoutMs: number;
  /** Called if the pool ends by itself; this process starts no other. */
  onEnd: (error: unknown) => void;
};

/**
 * graphile-worker reports each job at `info`. Its metadata holds payloads, which must not be
 * logged, so only the message is.
 */
const LEVELS = { error: "error", warning: "warn", info: "debug", debug: "trace" } as const;
const logger = new Logger(() => (level, message) => log[LEVELS[level]](message));

const jobDuration = durationHistogram({
  name: "tieout_job_duration_seconds",
  help: "How long jobs of this process took: match_pair is a run, read_import an import.",
  labels: ["task", "status"],
});

/** A graphile-worker pool that reports whether it takes jobs. */
export class Jobs implements Service {
  readonly name = "jobs";
  readonly #options: JobsOptions;
  readonly #database: RetryingPool;
  readonly #started: Promise<void>;
  #runner: Runner | undefined;
  #pool: string | undefined;
  #stopping = false;
  #running = 0;
  /** The number of running jobs by flag. */
  readonly #flags = new Map<string, number>();
  /**
   * Only one worker asks for a job at a time: two at once could both take the last place of a flag.
   */
  #fetching: PromiseWithResolvers<void> | undefined;
  /** When the database last answered a request for a job, by `performance.now()`. */
  #fetchedAt = performance.now();
  #hasFetched = false;
  #failing = false;

  constructor(options: JobsOptions) {
    this.#options = options;
    const { connectionString, concurrentJobs } = options;
    gauge(
      { name: "tieout_jobs_at_work", help: "Jobs that this process runs now." },
      () => this.#running,
    );
    this.#database = new RetryingPool({
      connectionString,
      application_name: `${PRODUCT_ID} jobs`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS,
      // One connection per job, one for LISTEN, one for the schedule. They stay open, so that a
      // full database can't take them from us.
      max: concurrentJobs + 2,
      idleTimeoutMillis: 0,
      keepAlive: true,
    });
    this.#database.on("error", () => {});
    this.#database.on("connect", (client) => client.on("error", () => {}));
    this.#started = this.#start();
  }

  /** The ID of this pool in graphile-worker's tables, once the pool exists. */
  get pool(): string | undefined {
    return this.#pool;
  }

  /** A recent request for a job was answered, or all places are taken. */
  get healthy(): boolean {
    return this.#hasFetched && (this.#running >= this.#options.concurrentJobs || !this.#isLate);
  }

  /**
   * Every request for a job fails, because graphile-worker repeats the failure of its first one for
   * ever. A pool that still waits for an answer is not stuck.
   */
  get stuck(): boolean {
    return this.#failing && this.#isLate;
  }

  get #isLate(): boolean {
    return performance.now() - this.#fetchedAt > LATE_MS;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#started;
    await this.#runner?.stop();
    await this.#database.end();
  }

  /**
   * Retries until the database is reachable; afterwards graphile-worker maintains its connections.
   */
  async #start(): Promise<void> {
    for (let reason: string | undefined; !this.#runner && !this.#stopping; ) {
      try {
        this.#runner = await this.#run();
      } catch (error) {
        const { message, code } = error as Error & { code?: string };
        if (message !== reason) log.warn({ reason: message || code }, "jobs wait for the database");
        reason = message;
        await new Promise((resolve) => setTimeout(resolve, START_AGAIN_AFTER_MS));
      }
    }
    this.#fetchedAt = performance.now();
    this.#runner?.promise.then(
      () => this.#ended(new Error("the runner ended")),
      (error) => this.#ended(error),
    );
  }

  #run(): Promise<Runner> {
    const { tasks, crontab, concurrentJobs, maxConcurrent, stopTimeoutMs } = this.#options;
    return run({
      ...(maxConcurrent && { forbiddenFlags: () => this.#fullFlags(maxConcurrent) }),
      pgPool: this.#database,
      preset: {
        worker: {
          concurrentJobs,
          gracefulShutdownAbortTimeout: stopTimeoutMs,
          // In batches, a job that can't be settled in time ends the pool; settled one by one, it
          // would throw an uncaught error.
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
      taskList: tasks,
      crontab,
      logger,
      events: this.#watch(),
      noHandleSignals: true,
    });
  }

  async #fullFlags(maxConcurrent: (flag: string) => number): Promise<string[]> {
    while (this.#fetching) await this.#fetching.promise;
    this.#fetching = Promise.withResolvers();
    return [...this.#flags].flatMap(([flag, count]) => (count >= maxConcurrent(flag) ? flag : []));
  }

  #count(flags: Job["flags"], by: 1 | -1): void {
    for (const flag of Object.keys(flags ?? {})) {
      const count = (this.#flags.get(flag) ?? 0) + by;
      if (count > 0) this.#flags.set(flag, count);
      else this.#flags.delete(flag);
    }
  }

  #watch(): WorkerEvents {
    const events: WorkerEvents = new EventEmitter();
    const onFetch = () => {
      this.#fetching?.resolve();
      this.#fetching = undefined;
    };
    const onFetched = () => {
      this.#fetchedAt = performance.now();
      this.#hasFetched = true;
      this.#failing = false;
    };
    events.on("pool:create", ({ workerPool }) => {
      this.#pool = workerPool.id;
    });
    events.on("worker:getJob:empty", () => {
      onFetched();
      onFetch();
    });
    events.on("worker:getJob:error", () => {
      this.#failing = true;
      onFetch();
    });
    const stops = new Map<string, (labels: { status: string }) => void>();
    events.on("job:start", ({ job }) => {
      onFetched();
      this.#running++;
      this.#count(job.flags, 1);
      onFetch();
      stops.set(job.id, jobDuration.startTimer({ task: job.task_identifier }));
    });
    events.on("job:complete", ({ job, error }) => {
      this.#running--;
      this.#count(job.flags, -1);
      stops.get(job.id)?.({ status: error ? "failed" : "done" });
      stops.delete(job.id);
    });
    // `pool:gracefulShutdown` counts as the end, because the shutdown waits for jobs that can't be
    // settled and may never finish.
    events.on("pool:gracefulShutdown", ({ message }) => this.#ended(new Error(message)));
    return events;
  }

  #ended(error: unknown): void {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#options.onEnd(error);
  }
}
