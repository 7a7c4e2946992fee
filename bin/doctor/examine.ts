import type { Project } from "./project.ts";

/** `unknown`: it could not be looked at, since something else is wrong or it cannot be seen from here. `advice`: how to fix a problem. */
export type Finding = {
  check: string;
  verdict: "ok" | "problem" | "unknown";
  found: string;
  advice?: string;
};

export type Check = { name: string; look: (project: Project) => Promise<Omit<Finding, "check">> };

export const ok = (found: string) => ({ verdict: "ok", found }) as const;
export const problem = (found: string, advice: string) =>
  ({ verdict: "problem", found, advice }) as const;
export const unknown = (found: string) => ({ verdict: "unknown", found }) as const;

/** Looks one check after another. One that throws is a problem: what it asked did not answer as a project does. */
export async function* examine(
  project: Project,
  checks: readonly Check[],
): AsyncGenerator<Finding> {
  for (const { name, look } of checks) {
    const finding = await look(project).catch((error: Error & { code?: string }) =>
      problem(
        `it could not be looked at: ${error.message || error.code}`,
        "Check the address, the password and the network, then run this again.",
      ),
    );
    yield { check: name, ...finding };
  }
}
