import type { Project } from "./project.ts";

/** `unknown`: it could not be looked at, since something else is ill or cannot be seen from here. `advice`: what to do where it is ill. */
export type Finding = { check: string; verdict: "well" | "ill" | "unknown"; found: string; advice?: string };

export type Check = { name: string; look: (project: Project) => Promise<Omit<Finding, "check">> };

export const well = (found: string) => ({ verdict: "well", found }) as const;
export const ill = (found: string, advice: string) => ({ verdict: "ill", found, advice }) as const;
export const unknown = (found: string) => ({ verdict: "unknown", found }) as const;

/** Looks one check after another. One that throws is ill: what it asked did not answer as a project does. */
export async function* examine(project: Project, checks: readonly Check[]): AsyncGenerator<Finding> {
  for (const { name, look } of checks) {
    const finding = await look(project).catch((error: Error & { code?: string }) =>
      ill(
        `it could not be looked at: ${error.message || error.code}`,
        "Check the address, the password and the network, then run this again.",
      ),
    );
    yield { check: name, ...finding };
  }
}
