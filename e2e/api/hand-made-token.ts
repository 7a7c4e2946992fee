import { SignJWT } from "jose";
import { stack } from "#e2e/fixtures.ts";

/** A token whose header and lifetime the test decides. */
export function handMade(
  header: Record<string, unknown>,
  payload: Record<string, unknown>,
  secret = stack.jwtSecret,
): Promise<string> {
  return new SignJWT(payload)
    .setProtectedHeader({ alg: "HS256", ...header })
    .sign(new TextEncoder().encode(secret));
}

/** Seconds since 1970, as a token counts. */
export const inMinutes = (minutes: number): number => Math.floor(Date.now() / 1000) + minutes * 60;
