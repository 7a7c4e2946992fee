import { createHash } from "node:crypto";
import { Client } from "pg";
import { log } from "../runtime/log.ts";
import type { Jobs } from "./jobs.ts";
import { Loop, type Query } from "./loop.ts";
import type { Service } from "./service.ts";
import { supportsListen } from "./supports-listen.ts";

/** The channel that `private.notify(topic, what)` notifies when its transaction commits. */
const CHANNEL = "app";
const BEAT_EVERY_MS = 3_000;
const STATEMENT_TIMEOUT_MS = 4_000;
/**
 * After an outage every process looks dead, so the living ones send three heartbeats before any is
 * removed.
 */
const HEARTBEATS_BEFORE_UNLOCK = 3;

const UNLOCK_DEAD_WORKERS = `
  select graphile_worker.force_unlock_workers(array_agg(pool)), array_agg(pool) as pools
  from private.unlock_dead_workers() as pool having count(*) > 0`;

export type ListenerOptions = {
  /** Direct, or through a pooler in session mode: in transaction mode, notifications are lost. */
  connectionString: string;
  /** The kind of this process, by which readiness counts healthy processes. */
  kind: string;
  /**
   * One handler per topic. One process of a kind handles each notification; if it fails, the others
   * find the work when they poll.
   */
  handlers: Record<string, (name: string) => void>;
  /** Called on each new connection to look for work, because notifications may have been missed. */
  onListening: () => void;
  jobs: Jobs;
  /** The other services of this process. It counts as healthy while all of them are. */
  vitals: Service[];
  /** Called once, when all services are healthy for the first time. */
  onWorking: () => void;
  /** Called if a service can't recover in this process. */
  onStuck: (name: string) => void;
};

/**
 * Listens for notifications of transactions and sends a heartbeat while all services of this
 * process are healthy. Unlocks the jobs of processes whose heartbeat stopped.
 */
export function startListener(options: ListenerOptions): Loop {
  const { connectionString, kind, handlers, onListening, jobs, onWorking, onStuck } = options;
  const vitals = [jobs, ...options.vitals];
  let canListen = false;
  let idle = "";
  let stuck: string | undefined;
  let beats = 0;
  let peers: string[] = [];
  let working = false;

  const beat = async (query: Query) => {
    const { rows: beat } = await query<{ peers: string[] }>(
      "select private.record_heartbeat($1, $2) as peers",
      [jobs.pool, kind],
    );
    peers = beat[0]?.peers ?? [];
    if (!working) onWorking();
    working = true;
    if (++beats <= HEARTBEATS_BEFORE_UNLOCK) return;
    const { rows } = await query<{ pools: string[] }>(UNLOCK_DEAD_WORKERS);
    if (rows[0]) log.warn({ pools: rows[0].pools }, "released the jobs of dead processes");
  };

  /**
   * Reports a service that is stuck twice in a row: services that waited for the database need time
   * to notice that it is back.
   */
  const lookForStuck = async () => {
    const found = vitals.find((vital) => vital.stuck)?.name;
    const reachable = found !== undefined && (await canConnect(connectionString));
    if (reachable && stuck === found) onStuck(found);
    stuck = reachable ? found : undefined;
  };

  return new Loop({
    // The name in /healthz, metrics and runbooks.
    name: "doorbell",
    connectionString,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    async onConnect(client) {
      canListen ||= await supportsListen(connectionString);
      if (!canListen)
        throw new Error(
          "The connection goes through a pooler in transaction mode. Give DIRECT_URL, direct " +
            "or in session mode.",
        );
      beats = 0;
      client.on("notification", ({ payload = "" }) => {
        const [topic = "", name = ""] = payload.split(" ", 2);
        if (isResponsible(jobs.pool, peers, name)) handlers[topic]?.(name);
      });
      await client.query(`listen ${CHANNEL}`);
      onListening();
    },
    async turn(query) {
      await lookForStuck();
      const late = vitals.flatMap(({ healthy: works, name }) => (works ? [] : name)).join(", ");
      if (late !== idle && working)
        log[late ? "error" : "info"](
          { not_working: late },
          late ? "does not work, does not beat" : "works again",
        );
      idle = late;
      if (late) await query("select");
      else await beat(query);
      return late && !working ? 100 : BEAT_EVERY_MS;
    },
  });
}

/**
 * Rendezvous hashing (Thaler and Ravishankar, 1998): all processes agree without communicating, and
 * few assignments change when one starts or stops.
 */
export function isResponsible(own: string | undefined, peers: string[], name: string): boolean {
  const weight = (peer: string) => createHash("sha1").update(`${peer} ${name}`).digest("hex");
  return peers.every((peer) => peer === own || weight(peer) < weight(own ?? ""));
}

async function canConnect(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: STATEMENT_TIMEOUT_MS });
  client.on("error", () => {});
  const connected = await client.connect().then(
    () => true,
    () => false,
  );
  void client.end().catch(() => {});
  return connected;
}
