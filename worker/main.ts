import { run } from "graphile-worker";
import { log } from "#lib/log.ts";

const runner = await run({ connectionString: process.env.DATABASE_URL, taskList: {}, noHandleSignals: true });
log.info("working");
process.on("disconnect", () => process.exit(1));
process.once("SIGTERM", () => runner.stop().then(() => process.exit(0)));
