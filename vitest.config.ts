import { defineConfig } from "vitest/config";
import { LEFT_OUT } from "./e2e/gate.ts";

/** Each of these files needs databases with the schema, which it copies from one server. */
const UNIT_SCHEMA = [
  "bin/dev/migration/*-search.test.ts",
  "supabase/tests/*.test.ts",
  "worker/connections/fetch-connection.test.ts",
  "worker/matcher/runs/{*-run,run-*}.test.ts",
];

/**
 * Each of these files needs its own modules: what it sets is read when a module is imported, or it
 * starts and stops a Postgres.
 */
const UNIT_ALONE = [
  "bin/{db,doctor/database,dev/reseal}.test.ts",
  "bin/dev/migration/!(*-search).test.ts",
  "lib/api-keys/verify-api-key.test.ts",
  "lib/auth/{cookies,refused-tokens}.test.ts",
  "lib/evidence/evidence-store.test.ts",
  "lib/background/*.test.ts",
  "sdk/typescript/test/{calls,waits}.test.ts",
  "supervisor/*.test.ts",
];

/**
 * Each of these files needs its own modules: it calls the product in its own process, next to the
 * stack's processes, or needs the memory of a whole process.
 */
const ALONE = [
  "e2e/api/contracts/fuzz.test.ts",
  "e2e/api/database/{direct-calls,pooled-calls,pgbouncer-calls}.test.ts",
  "e2e/api/records/fourth-surface.test.ts",
];

// Generous for a busy machine: what must be quick is measured, not timed out. Most of a file's time
// is waiting for the stack.
const api = {
  globalSetup: "e2e/api/stack.setup.ts",
  testTimeout: 300_000,
  hookTimeout: 300_000,
  maxWorkers: 3,
};

const unit = {
  setupFiles: "e2e/fixed-seed.ts",
  testTimeout: 120_000,
  maxWorkers: 2,
};

export default defineConfig({
  test: {
    // A guarantee reports by its whole name.
    taskTitleValueFormatTruncate: 0,
    projects: [
      // Half of the suites' processor time went into importing the same modules for each file.
      {
        test: {
          ...unit,
          name: "unit",
          include: [
            "{bin,components,engine,lib,sdk,server,supervisor,supabase,worker}/**/*.test.{ts,tsx}",
          ],
          exclude: [...UNIT_ALONE, ...UNIT_SCHEMA, ...LEFT_OUT],
          isolate: false,
        },
      },
      {
        test: {
          ...unit,
          name: "unit-alone",
          include: UNIT_ALONE,
          exclude: [...UNIT_SCHEMA, ...LEFT_OUT],
        },
      },
      {
        test: {
          ...unit,
          name: "unit-schema",
          include: UNIT_SCHEMA,
          exclude: LEFT_OUT,
          globalSetup: "bin/dev/generate/schema-databases.setup.ts",
        },
      },
      {
        test: {
          ...api,
          name: "api",
          include: ["e2e/api/**/*.test.ts"],
          exclude: [...ALONE, ...LEFT_OUT],
          isolate: false,
        },
      },
      // One at a time, and behind the others: each has as many connections as a web process.
      {
        test: {
          ...api,
          name: "api-alone",
          include: ALONE,
          exclude: LEFT_OUT,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      // Each file starts its own stacks, and waits for them most of the time.
      {
        test: {
          name: "stack",
          include: ["e2e/stack/**/*.test.ts"],
          exclude: LEFT_OUT,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          maxWorkers: 2,
        },
      },
      // Minutes each: `npm run test:faults` runs them, `npm test` only where one is named.
      {
        test: {
          name: "faults",
          include: ["e2e/faults/**/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          maxWorkers: 1,
        },
      },
    ],
  },
});
