import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["{bin,components,lib,server,supervisor,supabase,worker}/**/*.test.{ts,tsx}"] } },
      { test: { name: "api", include: ["e2e/api/**/*.test.ts"] } },
      { test: { name: "stack", include: ["e2e/stack/**/*.test.ts"] } },
    ],
  },
});
