import type { Operation } from "../reference/reference.ts";
import type { CurlCall } from "./curl-fence.ts";
import { isLiteral, isVariable, shellOf } from "./shell-text.ts";

const COLUMNS = 90;
const OPTIONS: Record<string, string> = {
  "idempotency-key": "--idempotency-key",
  "if-match": "--if-match",
  "x-audit-reason": "--audit-reason",
};
const KNOWN = ["authorization", "x-tenant-id", "content-type", ...Object.keys(OPTIONS)];

/**
 * The command for a call, with the address and tenant of its profile, or null if it sends a header
 * that the command line can't.
 */
export function cliForm(call: CurlCall, operation: Operation, source: string): string | null {
  const { method, target, headers, body, saved } = call;
  if ([...headers.keys()].some((name) => !KNOWN.includes(name))) return null;
  const isFile = operation.response.file !== undefined;
  const tenant = headers.get("x-tenant-id");
  const type = headers.get("content-type");
  const options = [
    ...(tenant && !isLiteral(tenant, "acme") && !isVariable(tenant, "TIEOUT_TENANT")
      ? [`--tenant ${shellOf(tenant)}`]
      : []),
    ...Object.entries(OPTIONS).flatMap(([header, option]) => {
      const value = headers.get(header);
      return value ? [`${option} ${shellOf(value)}`] : [];
    }),
    ...(body ? [`--data ${source.slice(body.pos, body.end)}`] : []),
    ...(type && !isLiteral(type, "application/json") ? [`--type ${shellOf(type)}`] : []),
    ...(isFile ? [`--output ${saved?.path ?? "download"}`] : []),
  ];
  const isWhoami =
    operation.contract.operationId === "getMe" &&
    ![...headers.keys()].some((name) => name in OPTIONS);
  const command = isWhoami ? "tieout whoami --json" : `tieout api ${method} ${shellOf(target)}`;
  return tokenOf(call) + wrapped([command, ...options]);
}

/** Sets another credential than the profile's, for this command only. */
function tokenOf({ headers }: CurlCall): string {
  const token = bearerOf(headers);
  return !token || isVariable(token, "TIEOUT_TOKEN")
    ? ""
    : `TIEOUT_TOKEN=${quoted(shellOf(token))} `;
}

const quoted = (word: string) => (word.startsWith('"') ? word : `"${word}"`);

export function bearerOf(headers: CurlCall["headers"]) {
  const [first, ...rest] = headers.get("authorization") ?? [];
  if (typeof first !== "string") return undefined;
  const token = first.replace(/^Bearer /, "");
  return token === "" ? rest : [token, ...rest];
}

/** On one line if it fits. A body of several lines then ends at the left margin. */
function wrapped(parts: string[]): string {
  const line = parts.join(" ");
  const fits = (line.split("\n")[0] ?? "").length <= COLUMNS;
  return fits ? line.replaceAll("\n  ", "\n") : parts.join(" \\\n  ");
}
