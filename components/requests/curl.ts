import type { LoggedRequestDetail } from "#lib/request-log/contract.ts";

/** Headers that curl makes itself, or that were masked. */
const LEFT_OUT = new Set([
  "accept",
  "accept-encoding",
  "authorization",
  "connection",
  "content-length",
  "cookie",
  "host",
  "user-agent",
  "x-forwarded-for",
  "x-request-id",
]);

/**
 * The call as a command. The credential is a variable that the user sets; masked values are left
 * out.
 */
export function curlOf(
  { method, path, query, request }: LoggedRequestDetail,
  origin: string,
): string {
  const url = `${origin}${path}${query ? `?${query}` : ""}`;
  const headers = Object.entries(request?.headers ?? {}).filter(
    ([name, value]) =>
      !LEFT_OUT.has(name) && !name.startsWith("sec-") && !value.includes("[redacted]"),
  );
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(url)}`,
    `-H "Authorization: Bearer $TIEOUT_TOKEN"`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(request?.body ? [`-d ${quoted(request.body)}`] : []),
  ].join(" \\\n  ");
}

/** For a POSIX shell: within single quotes, only the closing quote is special. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
