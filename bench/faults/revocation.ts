import { setTimeout as sleep } from "node:timers/promises";
import { headersOf, start } from "./stack.ts";

export async function revocation(rounds: number): Promise<void> {
  const stack = await start({ AUTH_FAILURES_PER_MINUTE: "0" });
  const url = `http://127.0.0.1:${stack.supervisor.port}`;
  const headers = await headersOf(stack);
  const keys = `${url}/v1/tenants/acme/api-keys`;
  let accepted = 0;
  for (let round = 0; round < rounds; round++) {
    const created = await fetch(keys, {
      method: "POST",
      headers,
      body: JSON.stringify({ name: "drill", scopes: ["read:reconciliations"] }),
    });
    const { id, key_id, key_secret } = (await created.json()) as Record<string, string>;
    const use = { Authorization: `Bearer ${key_id}.${key_secret}`, "X-Tenant-Id": "acme" };
    // Lookups under way while the key is revoked: the first use of a key reads the database.
    const revoked = fetch(`${keys}/${id}`, {
      method: "DELETE",
      headers,
      body: JSON.stringify({ reason: "drill" }),
    });
    await sleep(Math.random() * 8);
    const early = Array.from({ length: 4 }, () => fetch(`${url}/v1/me`, { headers: use }));
    await (await revoked).arrayBuffer();
    const { status } = await fetch(`${url}/v1/me`, { headers: use });
    accepted += Number(status === 200);
    await Promise.all(early.map(async (call) => (await call).arrayBuffer()));
  }
  console.log(`accepted after the answer to the revocation: ${accepted} of ${rounds}`);
  await stack.supervisor.end("SIGTERM");
}
