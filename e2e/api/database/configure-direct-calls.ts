import { stackEnvironment } from "../../../supervisor/stack-file.ts";

/**
 * Makes this process call the database of the stack under test directly, at this URL, as the stack's
 * web process does. Call it before the first database call.
 */
export function configureDirectCalls(
  requestDatabaseUrl: string,
  variables: Record<string, string> = {},
): void {
  Object.assign(process.env, stackEnvironment(), {
    REQUEST_DATABASE_URL: requestDatabaseUrl,
    ...variables,
  });
}
