import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["{bin,components,judge,lib,matcher,server,supervisor,supabase,worker}/**/*.test.{ts,tsx}"] } },
      // Generous for a busy machine: what must be quick is measured, not timed out. Most of a file's time is waiting for the stack.
      { test: { name: "api", include: ["e2e/api/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000, maxWorkers: 3 } },
      {
        // Each test starts stacks of its own.
        test: { name: "stack", include: ["e2e/stack/**/*.test.ts"], testTimeout: 180_000, hookTimeout: 180_000, fileParallelism: false },
      },
    ],
  },
});
