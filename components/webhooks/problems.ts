import { ApiProblem } from "#components/api-client.ts";
import type { Problems } from "#components/ui/use-problems.ts";

/** What the server found wrong; empty where it is about no field. */
export function problemsFrom(error: Error | null): Problems {
  const problems: Record<string, string> = {};
  for (const { path, message } of error instanceof ApiProblem ? error.errors : []) problems[path.split(".")[0] ?? path] ??= message;
  return problems;
}
