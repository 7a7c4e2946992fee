import type { AccountCall } from "#lib/accounts/contract.ts";
import { stack } from "./fixtures.ts";

/** Calls /api/account as our own pages do. `cookies` are those of the signed-in user. */
export async function callAccount(
  call: AccountCall,
  body: object,
  { cookies = "", url = stack.url, headers = {} } = {},
) {
  const startedAt = performance.now();
  const answer = await fetch(`${url}/api/account/${call}`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "Sec-Fetch-Site": "same-origin",
      ...(cookies && { Cookie: cookies }),
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    text,
    json: JSON.parse(text) as Record<string, unknown>,
    ms: performance.now() - startedAt,
  };
}
