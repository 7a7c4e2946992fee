import { env } from "#lib/runtime/env.ts";

/** Where this service is called: examples name it. */
export function origin(): string {
  return new URL(env().NEXTAUTH_URL).origin;
}
