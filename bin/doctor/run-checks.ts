import type { Project } from "./project.ts";

/**
 * The result of a check. `unknown` means that it could not be checked, because something else is
 * wrong or not visible from here. `advice` says how to fix a problem.
 */
export type Finding = {
  check: string;
  verdict: "ok" | "problem" | "unknown";
  found: string;
  advice?: string;
};

export type Check = { name: string; run: (project: Project) => Promise<Omit<Finding, "check">> };

export const ok = (found: string) => ({ verdict: "ok", found }) as const;
export const problem = (found: string, advice: string) =>
  ({ verdict: "problem", found, advice }) as const;
export const unknown = (found: string) => ({ verdict: "unknown", found }) as const;

/** Runs the checks one after another. A check that throws is reported as a problem. */
export async function* runChecks(
  project: Project,
  checks: readonly Check[],
): AsyncGenerator<Finding> {
  for (const { name, run } of checks) {
    const finding = await run(project).catch((error: Error & { code?: string }) =>
      problem(
        `the check failed: ${error.message || error.code}`,
        "Check the address, the password and the network, then run this again.",
      ),
    );
    yield { check: name, ...finding };
  }
}
