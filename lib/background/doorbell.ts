import { createHash } from "node:crypto";
import { Client } from "pg";
import { log } from "../runtime/log.ts";
import { hearsNotifications } from "./hears-notifications.ts";
import type { Jobs } from "./jobs.ts";
import { Loop, type Query } from "./loop.ts";
import type { Vital } from "./vital.ts";

/** `private.ring(bell, what)` notifies it when its transaction commits. */
const CHANNEL = "tieout";
const BEAT_EVERY_MS = 3_000;
const STATEMENT_WITHIN_MS = 4_000;
/** After an outage everyone seems dead: first let the living beat. */
const BEATS_BEFORE_OTHERS_ARE_BURIED = 3;

const FREE_JOBS_OF_THE_DEAD = `select graphile_worker.force_unlock_workers(array_agg(pool)), array_agg(pool) as pools
  from private.bury_silent_pools() as pool having count(*) > 0`;

export type DoorbellOptions = {
  /** Direct, or through a pooler in session mode: any other loses what is notified. */
  connectionString: string;
  /** The kind of this process: readiness counts those that work by it. */
  kind: string;
  /** What to do at the ring of each bell. Of several processes of a kind one answers; should it not, the others find it by looking. */
  bells: Record<string, (what: string) => void>;
  /** Bells may have rung unheard: looks for what there is to do. */
  onListening: () => void;
  jobs: Jobs;
  /** What this process does beside its jobs. It counts as working while all of it works. */
  vitals: Vital[];
  /** Once, when it is shown that all of it works. */
  onWorking: () => void;
  /** Something will not work again in this process. */
  onStuck: (what: string) => void;
};

/**
 * Hears what transactions ring for, and shows by a heartbeat that this process does its work: one that lives and does nothing
 * does not beat. Frees the jobs of processes that fell silent.
 */
export function startDoorbell(options: DoorbellOptions): Loop {
  const { connectionString, kind, bells, onListening, jobs, onWorking, onStuck } = options;
  const vitals = [jobs, ...options.vitals];
  let hears = false;
  let idle = "";
  let stuck: string | undefined;
  let beats = 0;
  let peers: string[] = [];
  let working = false;

  const beat = async (query: Query) => {
    const { rows: beat } = await query<{ peers: string[] }>("select private.beat($1, $2) as peers", [jobs.pool, kind]);
    peers = beat[0]?.peers ?? [];
    if (!working) onWorking();
    working = true;
    if (++beats <= BEATS_BEFORE_OTHERS_ARE_BURIED) return;
    const { rows } = await query<{ pools: string[] }>(FREE_JOBS_OF_THE_DEAD);
    if (rows[0]) log.warn({ pools: rows[0].pools }, "freed the jobs of processes that fell silent");
  };

  /** Twice in a row, so that who waited for the database has the time to see that it is back. */
  const lookForStuck = async () => {
    const found = vitals.find((vital) => vital.stuck)?.name;
    const reachable = found !== undefined && (await canConnect(connectionString));
    if (reachable && stuck === found) onStuck(found);
    stuck = reachable ? found : undefined;
  };

  return new Loop({
    name: "doorbell",
    connectionString,
    statementWithinMs: STATEMENT_WITHIN_MS,
    async onConnect(client) {
      hears ||= await hearsNotifications(connectionString);
      if (!hears) throw new Error("The connection goes through a pooler in transaction mode. Give DIRECT_URL, direct or in session mode.");
      beats = 0;
      client.on("notification", ({ payload = "" }) => {
        const [bell = "", what = ""] = payload.split(" ", 2);
        if (answers(jobs.pool, peers, what)) bells[bell]?.(what);
      });
      await client.query(`listen ${CHANNEL}`);
      onListening();
    },
    async turn(query) {
      await lookForStuck();
      const late = vitals.flatMap(({ works, name }) => (works ? [] : name)).join(", ");
      if (late !== idle && working)
        log[late ? "error" : "info"]({ not_working: late }, late ? "does not work, does not beat" : "works again");
      idle = late;
      if (late) await query("select");
      else await beat(query);
      return late && !working ? 100 : BEAT_EVERY_MS;
    },
  });
}

/** Rendezvous hashing (Thaler and Ravishankar, 1998): all agree on one without a word, and few change where one comes or goes. */
export function answers(own: string | undefined, peers: string[], what: string): boolean {
  const weight = (peer: string) => createHash("sha1").update(`${peer} ${what}`).digest("hex");
  return peers.every((peer) => peer === own || weight(peer) < weight(own ?? ""));
}

async function canConnect(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: STATEMENT_WITHIN_MS });
  client.on("error", () => {});
  const connected = await client.connect().then(
    () => true,
    () => false,
  );
  void client.end().catch(() => {});
  return connected;
}
