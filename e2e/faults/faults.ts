import type { Tests } from "../required-tests.ts";

/** What must hold after every fault. */
export const INVARIANTS = {
  durable: "every acknowledged write is there",
  once: "one event per crossing, and no effect twice",
  delivered: "every delivery arrives at least once, under one webhook-id, and is on record",
  verified: "audit logs verify",
  served: "other tenants are served during the fault, and the service recovers by itself",
} as const;

/** A fault, the invariants that its drills check, and the tests that are its drills. */
export type Fault = {
  name: string;
  invariants: readonly (keyof typeof INVARIANTS)[];
  drills: Tests;
};

const WEBHOOKS = "e2e/stack/webhooks.test.ts";
const CLOCK = "e2e/stack/sla-clock.test.ts";
const WORKER = "e2e/stack/worker.test.ts";
const STOP = "e2e/stack/stop.test.ts";
const DATABASE = "e2e/stack/database.test.ts";

export const FAULTS: readonly Fault[] = [
  {
    name: "Postgres stops immediately under load",
    invariants: ["durable", "delivered"],
    drills: [
      [
        WEBHOOKS,
        "whose Postgres stops immediately records the result later",
        "loses none of 300 deliveries and records each if Postgres stops",
      ],
    ],
  },
  {
    name: "a worker is killed in mid-delivery, or at a job",
    invariants: ["delivered", "once"],
    drills: [
      [WEBHOOKS, "that is killed has its delivery taken over within 30 s"],
      [WORKER, "the job of a killed worker is taken over within 30 s"],
    ],
  },
  {
    name: "a stop in mid-delivery and mid-request",
    invariants: ["delivered", "served"],
    drills: [
      [STOP, "a request under way during a stop is completed"],
      [
        WEBHOOKS,
        "finishes and records deliveries under way",
        "aborts hanging deliveries, and sends them again at the next start",
      ],
    ],
  },
  {
    name: "receivers that hang",
    invariants: ["served"],
    drills: [
      [
        "e2e/api/webhooks/isolation.test.ts",
        "of which one tenant has 50 never delay another tenant or receiver",
      ],
    ],
  },
  {
    name: "the same request many times at once",
    invariants: ["once"],
    drills: [
      [
        "e2e/api/contracts/idempotency.test.ts",
        "ten concurrent calls with one key take effect once",
        "the same key for another request is 422",
      ],
    ],
  },
  {
    name: "clocks ten minutes fast and slow",
    invariants: ["once"],
    drills: [[CLOCK, "are reported once and on time by workers with wrong clocks"]],
  },
  {
    name: "connections cut",
    invariants: ["delivered", "served"],
    drills: [
      [WEBHOOKS, "continues after all of its database connections are cut"],
      ["lib/background/jobs.test.ts", "is settled over a second connection if the first is cut"],
      ["e2e/stack/imports.test.ts", "even if the database drops its connection at %s"],
    ],
  },
  {
    name: "nothing works while deadlines pass",
    invariants: ["once"],
    drills: [
      [
        CLOCK,
        "count at once while the worker is stalled, and are reported once each",
        "while nothing runs are reported once each after the next start",
      ],
    ],
  },
  {
    name: "a process of any kind is killed",
    invariants: ["served", "durable"],
    drills: [
      ["e2e/stack/restart.test.ts", "is started again and the service is ready"],
      [STOP, "a supervisor killed with -9 leaves no process, and the next start succeeds"],
      ["e2e/stack/imports.test.ts", "even if the matcher is killed at %s"],
    ],
  },
  {
    name: "two matchers killed at random, at runs",
    invariants: ["durable", "once", "served"],
    drills: [
      [
        "e2e/faults/killed-matchers.test.ts",
        "two matchers killed at random leave valid proofs and the same result",
      ],
    ],
  },
  {
    name: "two of everything, one of each killed and replaced",
    invariants: ["durable", "once", "delivered", "served"],
    drills: [
      [
        "e2e/stack/machines.test.ts",
        "lose and duplicate nothing while one of each is killed and replaced",
      ],
      [
        "e2e/faults/api-suite.test.ts",
        "passes through a load balancer while machines are killed and replaced",
      ],
      [
        "e2e/stack/processes.test.ts",
        "continue when one of each is killed and replaced",
        "are replaced one by one, while every call is answered",
      ],
    ],
  },
  {
    name: "a pooler in transaction mode",
    invariants: ["served", "delivered"],
    drills: [
      [
        DATABASE,
        "serves migrations and background work if listeners connect directly",
        "keeps no lock of migrations",
      ],
    ],
  },
  {
    name: "a database that stalls, loses connections silently, refuses writes, or is slow",
    invariants: ["durable", "once", "delivered", "served"],
    drills: [
      [
        "e2e/faults/sick-database.test.ts",
        "that hangs makes calls and readiness fail in time, and loses nothing",
        "whose connections are lost silently is reached by new ones",
        "that is read-only is reported, leaves no partial write, and recovers by itself",
        "that is slow is waited for",
      ],
    ],
  },
  {
    name: "calls that run out of time, block one another, or find no connection",
    invariants: ["durable", "once", "delivered", "served"],
    drills: [
      [
        "e2e/faults/contended-database.test.ts",
        "that exceed their limits are refused as such, and each runs once",
        "that deadlock have one refused completely, which runs once on",
        "that find no connection are refused at once",
      ],
    ],
  },
  {
    name: "a full disk",
    invariants: ["durable", "once", "delivered", "served"],
    drills: [
      [
        "e2e/faults/full-disk.test.ts",
        "a database with a full disk refuses writes, loses nothing, and",
      ],
    ],
  },
  {
    name: "a rolling update from the previous build, under load",
    invariants: ["durable", "once", "delivered", "served"],
    drills: [
      [
        "e2e/faults/rolling-update.test.ts",
        "each process of the previous build is replaced under load",
      ],
    ],
  },
  {
    name: "a restore from a backup",
    invariants: ["verified", "delivered"],
    drills: [
      [
        "e2e/stack/backups.test.ts",
        "a backup restored elsewhere verifies, and marks what it delivers again",
      ],
    ],
  },
];
