import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { serviceDb } from "../db/client.ts";
import { unwrap } from "../db/unwrap.ts";

const state = z.object({ read_only: z.boolean(), working: z.record(z.string(), z.number()) });

type Readiness = {
  ready: boolean;
  checks: { database: "ok" | "unreachable" | "read_only"; worker: "ok" | "silent" | "unknown" };
  /** How many background processes of each kind reported healthy within the last 15 s. */
  working: Record<string, number>;
};

/** Probes don't wait longer than 3 s, and a database that hangs is as bad as none. */
const TIMEOUT_MS = 3_000;

/**
 * Whether the database answers and accepts writes, and whether a worker is healthy: a worker sends
 * its heartbeat only while all of its services work.
 */
export async function readiness(): Promise<Readiness> {
  try {
    const response = serviceDb("readiness is nobody's tenant").rpc("readiness");
    const timeout = sleep(TIMEOUT_MS, null, { ref: false }).then(() =>
      Promise.reject(new Error("The database did not answer.")),
    );
    const { read_only, working } = state.parse(unwrap(await Promise.race([response, timeout])));
    const works = (working.worker ?? 0) > 0;
    return {
      ready: !read_only && works,
      checks: { database: read_only ? "read_only" : "ok", worker: works ? "ok" : "silent" },
      working,
    };
  } catch {
    return { ready: false, checks: { database: "unreachable", worker: "unknown" }, working: {} };
  }
}
