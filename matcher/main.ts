import { EventEmitter } from "node:events";
import { run, type TaskList, type WorkerEvents } from "graphile-worker";
import { log } from "#lib/runtime/log.ts";
import { startHeartbeat } from "../worker/heartbeat.ts";
import { graphileLogger } from "../worker/logger.ts";
import { matchPairTask } from "./tasks/match-pair.ts";
import { purgeImports } from "./tasks/purge-imports.ts";
import { readImportTask } from "./tasks/read-import.ts";
import { undoImport } from "./tasks/undo-import.ts";

const CONCURRENT_JOBS = 2;
const STOP_WITHIN_MS = 5_000;

const connectionString = process.env.DATABASE_URL;
if (!connectionString) throw new Error("DATABASE_URL is not set");

const tasks: TaskList = {
  match_pair: matchPairTask(connectionString),
  purge_imports: purgeImports,
  read_import: readImportTask(connectionString),
  undo_import: undoImport,
};

const events: WorkerEvents = new EventEmitter();
let stopHeartbeat = () => {};
events.on("pool:create", ({ workerPool }) => {
  stopHeartbeat = startHeartbeat(connectionString, workerPool.id);
});

const runner = await run({
  preset: {
    worker: { connectionString, concurrentJobs: CONCURRENT_JOBS, gracefulShutdownAbortTimeout: STOP_WITHIN_MS },
  },
  taskList: tasks,
  crontab: "37 * * * * purge_imports",
  logger: graphileLogger,
  events,
  noHandleSignals: true,
});
log.info({ tasks: Object.keys(tasks) }, "working");

let stopping = false;
process.on("disconnect", () => process.exit(1));
process.once("SIGTERM", async () => {
  stopping = true;
  stopHeartbeat();
  await runner.stop();
  process.exit(0);
});

await runner.promise.catch((error) => log.fatal({ err: error }, "the matcher cannot go on"));
if (!stopping) process.exit(1);
