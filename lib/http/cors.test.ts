import { expect, test } from "vitest";
import { openToBrowsers } from "./cors.ts";

test("pages can read every header of ours that a client acts on", () => {
  const exposed = openToBrowsers(new Headers()).get("Access-Control-Expose-Headers")?.split(", ");
  for (const name of [
    "ETag",
    "Idempotency-Replayed",
    "Location",
    "RateLimit",
    "Retry-After",
    "WWW-Authenticate",
    "X-Request-Id",
  ])
    expect(exposed).toContain(name);
});
