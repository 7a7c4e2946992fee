import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["{bin,components,judge,lib,matcher,server,supervisor,supabase,worker}/**/*.test.{ts,tsx}"] } },
      // Generous for a busy machine: what must be quick is measured, not timed out. Most of a file's time is waiting for the stack.
      {
        test: {
          name: "api",
          include: ["e2e/api/**/*.test.ts"],
          globalSetup: "e2e/api/stack.setup.ts",
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 3,
        },
      },
      // Each file starts stacks of its own, and waits for them most of the time.
      { test: { name: "stack", include: ["e2e/stack/**/*.test.ts"], testTimeout: 180_000, hookTimeout: 180_000, maxWorkers: 2 } },
    ],
  },
});
