import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["{bin,lib,server,supervisor,supabase,worker}/**/*.test.ts"] } },
      { test: { name: "api", include: ["e2e/api/**/*.test.ts"] } },
      { test: { name: "stack", include: ["e2e/stack/**/*.test.ts"] } },
    ],
  },
});
