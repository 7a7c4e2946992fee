import { fileURLToPath } from "node:url";
import { type Part, stopParts } from "./child-process.ts";
import { lockDataDir } from "./lock-data-dir.ts";
import { log, logFromReady, reportStep } from "./log.ts";
import { freePort, waitForFreePort } from "./ports.ts";
import { storeQuotas } from "./quotas.ts";
import { announce } from "./ready.ts";
import { dataDirOf, readSettings, type Settings, SettingsError } from "./settings.ts";
import {
  allReady,
  applyMigrations,
  renewEach,
  renewWeb,
  requireListening,
  requireRequestRole,
  seedOnce,
  startBackground,
  startDataApi,
  startPostgres,
  startWeb,
  webIsReady,
} from "./stack.ts";
import { writeStackFile } from "./stack-file.ts";

const SECOND_SIGNAL_AFTER_MS = 1_000;

let stopping: Promise<void> | undefined;
let stoppingSince = 0;

async function start(): Promise<void> {
  logFromReady();
  // Locked before the settings are read, because that creates missing secrets in the directory.
  const claim = lockDataDir(dataDirOf(process.env));
  process.once("exit", claim.release);
  const settings = readSettings();
  const { port, env } = settings;
  if (settings.webs > 0 && !(await waitForFreePort(port, env.HOST)))
    throw new SettingsError(
      `Port ${port} is in use. Stop the process listening there, or set another PORT.`,
    );
  env.NODE_ENV = process.argv.includes("--dev") ? "development" : "production";

  // Node caches compiled sources here between starts, which also saves the memory for compiling.
  env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("../.next/compiled", import.meta.url));

  if (settings.local) {
    const urls = await startPostgres(settings);
    await applyMigrations(urls.owner);
    const dataApiPort = await freePort();
    env.SUPABASE_URL = `http://127.0.0.1:${dataApiPort}`;
    env.DATABASE_URL = urls.owner;
    // Empty means to use the Data API.
    env.REQUEST_DATABASE_URL = process.env.REQUEST_DATABASE_URL === "" ? "" : urls.authenticator;
    await startDataApi(env, dataApiPort, urls);
    await seedOnce(urls.owner);
    await storeQuotas(urls.owner, settings.quotas);
  } else {
    await requireListening(env);
    await requireRequestRole(env);
    const directUrl = env.DIRECT_URL ?? env.DATABASE_URL ?? "";
    await applyMigrations(directUrl);
    await storeQuotas(directUrl, settings.quotas);
  }
  await reportStep("database");
  const background = startBackground(settings);
  const web = startWeb(settings);

  writeStackFile(settings);
  await allReady([...background, ...web]);
  await webIsReady(settings);
  await reportStep("ready");
  announce(settings);
  process.on("SIGUSR2", () => roll(background, web, settings));
}

let rolling = false;

/** Replaces background and web processes one after another, so that the others keep working. */
function roll(background: Part[], web: Part[], settings: Settings): void {
  if (stopping || rolling) return;
  rolling = true;
  log("info", "replacing background and web processes one by one");
  renewEach(background)
    .then(() => renewWeb(web, settings))
    .finally(() => {
      rolling = false;
    });
}

function stop(reason: string): Promise<void> {
  log("info", `stopping: ${reason}`);
  stoppingSince = performance.now();
  stopping = stopParts().then(() => {
    log("info", "stopped");
    process.exit(process.exitCode ?? 0);
  });
  return stopping;
}

/**
 * A second Ctrl-C exits at once: the processes end by themselves when the supervisor is gone. A
 * second signal within a second is the first one, passed on by npm.
 */
function onSignal(signal: NodeJS.Signals): void {
  if (!stopping) stop(signal);
  else if (performance.now() - stoppingSince > SECOND_SIGNAL_AFTER_MS) process.exit(1);
}

process.on("SIGINT", onSignal);
process.on("SIGTERM", onSignal);
process.on("SIGHUP", onSignal);
// The reader of our output closed the pipe, which means that we should stop.
process.stdout.on("error", () => stopping ?? stop("output closed"));
process.on("disconnect", () => stopping ?? stop("the parent process exited"));

try {
  await start();
} catch (error) {
  if (!stopping) {
    process.exitCode = 1;
    log(
      "fatal",
      error instanceof SettingsError
        ? error.message
        : `Startup failed: ${(error as Error).message}`,
    );
    await stop("startup failed");
  }
}
