import { readFileSync } from "node:fs";

let bodies;

/** Returns the bytes that the service returned, from memory. */
export function answer(operation, status) {
  bodies ??= JSON.parse(readFileSync(process.env.BARE_BODIES, "utf8"));
  return new Response(bodies[operation], {
    status,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store" },
  });
}
