import { invalidRequest } from "./errors.ts";

const MAX_DEPTH = 64;

/** @throws ApiError 400 on anything that is not one well-formed JSON object that the database can keep. */
export function parseJsonObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidRequest([{ path: "", message: "Send well-formed JSON in UTF-8." }]);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidRequest([{ path: "", message: "Send a JSON object." }]);
  }
  requireStorable(value);
  return value as Record<string, unknown>;
}

/** What Postgres cannot keep, or what would cost too much to look at, is refused here. */
function requireStorable(root: unknown): void {
  const open: { value: unknown; path: string; depth: number }[] = [{ value: root, path: "", depth: 1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, path, depth } = next;
    if (typeof value === "string") requireText(value, path);
    if (typeof value === "number" && !Number.isFinite(value)) throw invalidRequest([{ path, message: "This number is too large." }]);
    if (typeof value !== "object" || value === null) continue;
    if (depth > MAX_DEPTH) throw invalidRequest([{ path: "", message: `JSON can be nested at most ${MAX_DEPTH} deep at most.` }]);
    for (const [key, child] of Object.entries(value)) {
      requireName(key, path);
      open.push({ value: child, path: path === "" ? key : `${path}.${key}`, depth: depth + 1 });
    }
  }
}

/** @throws ApiError 400 for a name that zod would silently skip, or that isn't well-formed text. */
function requireName(name: string, path: string): void {
  requireText(name, path);
  if (name === "__proto__") throw invalidRequest([{ path: path === "" ? name : `${path}.${name}`, message: "Unknown field." }]);
}

/** @throws ApiError 400 where the text has a NUL character or a lone surrogate. */
export function requireText(value: string, path: string): void {
  if (value.includes("\0") || !value.isWellFormed()) {
    throw invalidRequest([{ path, message: "Must be well-formed Unicode without NUL characters." }]);
  }
}
