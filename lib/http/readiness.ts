import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { serviceDb } from "../db/client.ts";
import { unwrap } from "../db/unwrap.ts";

const state = z.object({ read_only: z.boolean(), working: z.record(z.string(), z.number()) });

type Readiness = {
  ready: boolean;
  checks: { database: "ok" | "unreachable" | "read_only"; worker: "ok" | "silent" | "unknown" };
  /** How many background processes of each kind showed within 15 s that they do their work. */
  working: Record<string, number>;
};

/** Who probes waits no longer, and a database that stands still is no better than none. */
const TIMEOUT_MS = 3_000;

/** Whether the database answers and takes writes, and a worker does its work: it beats only while all of it works. */
export async function readiness(): Promise<Readiness> {
  try {
    const asked = serviceDb("readiness is nobody's tenant").rpc("readiness");
    const late = sleep(TIMEOUT_MS, null, { ref: false }).then(() =>
      Promise.reject(new Error("The database did not answer.")),
    );
    const { read_only, working } = state.parse(unwrap(await Promise.race([asked, late])));
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
