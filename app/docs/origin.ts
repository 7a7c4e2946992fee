import { env } from "#lib/runtime/env.ts";

/** The service's origin, for examples. */
export function origin(): string {
  return new URL(env().NEXTAUTH_URL).origin;
}
