/** Pages as the server sends them, before a script ran. */

import { stack } from "#e2e/fixtures.ts";
import { sessionCookie } from "#e2e/sign-in.ts";
import type { Role } from "#lib/wire/access.ts";

export type Html = { status: number; headers: Headers; text: string; headings: string[] };

/** `tenants` are the caller's, omitted if nobody is signed in. */
export async function pageOf(
  path: string,
  tenants?: Record<string, Role[]>,
  headers: Record<string, string> = {},
): Promise<Html> {
  const cookie: Record<string, string> = tenants
    ? { Cookie: await sessionCookie({ tenants }) }
    : {};
  // fetch follows redirects: Next redirects an RSC request without a checksum to one that has it.
  const answer = await fetch(`${stack.url}${path}`, { headers: { ...cookie, ...headers } });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, headings: headingsOf(text) };
}

/** The texts of the page's headings, in order. */
function headingsOf(html: string): string[] {
  return [...html.matchAll(/<h([1-6])[^>]*>([\s\S]*?)<\/h\1>/g)].map(([, , inner = ""]) =>
    textOf(inner),
  );
}

/** The levels of the page's headings, in order. */
export function levelsOf({ text }: Html): number[] {
  return [...text.matchAll(/<h([1-6])[\s>]/g)].map(([, level]) => Number(level));
}

function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&#x27;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .trim();
}
