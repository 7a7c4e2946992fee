import { z } from "zod";
import { serviceDb } from "../db/client.ts";
import { unwrap } from "../db/unwrap.ts";

/** Worker pools beat every 5 s and count as dead after 30 s of silence. */
const SILENCE_MAX_SECONDS = 30;

const state = z.object({ read_only: z.boolean(), worker_silence_seconds: z.number().nullable() });

type Checks = { database: "ok" | "unreachable" | "read_only"; worker: "ok" | "silent" | "unknown" };

/** Whether the database answers and takes writes, and a worker is alive. */
export async function readiness(): Promise<{ ready: boolean; checks: Checks }> {
  const checks = await check();
  return { ready: checks.database === "ok" && checks.worker === "ok", checks };
}

async function check(): Promise<Checks> {
  try {
    const { read_only, worker_silence_seconds: silence } = state.parse(
      unwrap(await serviceDb("readiness is nobody's tenant").rpc("readiness")),
    );
    return {
      database: read_only ? "read_only" : "ok",
      worker: silence !== null && silence < SILENCE_MAX_SECONDS ? "ok" : "silent",
    };
  } catch {
    return { database: "unreachable", worker: "unknown" };
  }
}
