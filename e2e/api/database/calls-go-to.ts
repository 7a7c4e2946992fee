import { stackEnvironment } from "../../../supervisor/stack-file.ts";

/**
 * Has this process call the stack under test as its web process does, by this URL; to be said
 * before the first call.
 */
export function callsGoTo(
  requestDatabaseUrl: string,
  variables: Record<string, string> = {},
): void {
  Object.assign(process.env, stackEnvironment(), {
    REQUEST_DATABASE_URL: requestDatabaseUrl,
    ...variables,
  });
}
