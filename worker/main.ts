import { EventEmitter } from "node:events";
import { run, type TaskList, type WorkerEvents } from "graphile-worker";
import { env } from "#lib/runtime/env.ts";
import { log } from "#lib/runtime/log.ts";
import { forgetSecurityEvents } from "./audit/forget-security-events.ts";
import { startAuditSigner } from "./audit/signer.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { graphileLogger } from "./logger.ts";
import { startSlaClock } from "./sla-clock.ts";
import { announceExpiringApiKeys } from "./tasks/announce-expiring-api-keys.ts";
import { deliverWebhook } from "./tasks/deliver-webhook.ts";
import { purge } from "./tasks/purge.ts";
import { warnOfFailingWebhooks } from "./tasks/warn-of-failing-webhooks.ts";
import { Dispatcher } from "./webhooks/dispatcher.ts";

const CONCURRENT_JOBS = 20;
const STOP_WITHIN_MS = 5_000;
/** The rest of the time is for writing down what came of them. */
const SEND_WITHIN_MS = 4_000;

const connectionString = process.env.DATABASE_URL;
if (!connectionString) throw new Error("DATABASE_URL is not set");

const dispatcher = new Dispatcher(connectionString, env().WEBHOOK_ALLOW_HOSTS);

const tasks: TaskList = {
  announce_expiring_api_keys: announceExpiringApiKeys,
  deliver_webhook: deliverWebhook(dispatcher),
  forget_security_events: forgetSecurityEvents,
  purge_api_key_usage: purge("private.purge_api_key_usage"),
  purge_idempotency_keys: purge("private.purge_idempotency_keys"),
  purge_records: purge("private.purge_records"),
  purge_security_events: purge("private.purge_security_events"),
  purge_webhook_deliveries: purge("private.purge_webhook_deliveries"),
  tell_security_event_counts: purge("private.tell_security_event_counts"),
  warn_of_failing_webhooks: warnOfFailingWebhooks,
};

const schedule = `
  */10 * * * * announce_expiring_api_keys
  47 * * * * forget_security_events
  27 * * * * purge_api_key_usage
  7 * * * * purge_idempotency_keys
  */10 * * * * purge_records
  57 * * * * purge_security_events
  17 * * * * purge_webhook_deliveries
  * * * * * tell_security_event_counts
  */10 * * * * warn_of_failing_webhooks
`;

const events: WorkerEvents = new EventEmitter();
let stopHeartbeat = () => {};
events.on("pool:create", ({ workerPool }) => {
  stopHeartbeat = startHeartbeat(connectionString, workerPool.id);
});

const runner = await run({
  preset: {
    worker: {
      connectionString,
      concurrentJobs: CONCURRENT_JOBS,
      maxPoolSize: CONCURRENT_JOBS,
      gracefulShutdownAbortTimeout: STOP_WITHIN_MS,
      // Settled in batches, jobs outlive a restart of Postgres: graphile-worker retries a batch, but not a single job.
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
  taskList: tasks,
  crontab: schedule,
  logger: graphileLogger,
  events,
  noHandleSignals: true,
});
const stopSlaClock = startSlaClock(connectionString);
const stopAuditSigner = startAuditSigner(connectionString);
log.info({ tasks: Object.keys(tasks) }, "working");

let stopping = false;
process.on("disconnect", () => process.exit(1));
process.once("SIGTERM", async () => {
  stopping = true;
  stopHeartbeat();
  await Promise.all([stopSlaClock(), stopAuditSigner(), runner.stop(), dispatcher.stop(SEND_WITHIN_MS)]);
  process.exit(0);
});

// Ends only when stopped or when it cannot go on; a fresh process can.
await runner.promise.catch((error) => log.fatal({ err: error }, "the worker can't continue"));
if (!stopping) process.exit(1);
