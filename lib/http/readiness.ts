import { serviceDb } from "../db/client.ts";
import { unwrap } from "../db/unwrap.ts";

/** Worker pools beat every 5 s and count as dead after 30 s of silence. */
const SILENCE_MAX_SECONDS = 30;

type Check = "ok" | "unreachable" | "silent";

/** Whether the database answers and a worker is alive. */
export async function readiness(): Promise<{ ready: boolean; checks: { database: Check; worker: Check } }> {
  const db = serviceDb("readiness is nobody's tenant");
  try {
    const silence = unwrap(await db.rpc("worker_silence_seconds")) as number | null;
    const worker: Check = silence !== null && silence < SILENCE_MAX_SECONDS ? "ok" : "silent";
    return { ready: worker === "ok", checks: { database: "ok", worker } };
  } catch {
    return { ready: false, checks: { database: "unreachable", worker: "silent" } };
  }
}
