import { invalidRequest } from "./errors.ts";

/**
 * @throws ApiError 400 if the text has a NUL character or a lone surrogate, which Postgres can't
 * store.
 */
export function requireText(value: string, pathOf: () => string): void {
  if (value.includes("\0") || !value.isWellFormed()) {
    throw invalidRequest([
      { path: pathOf(), message: "Must be well-formed Unicode without NUL characters." },
    ]);
  }
}

/**
 * @throws ApiError 400 for a name that isn't well-formed text, or `__proto__`, which JavaScript
 * objects treat specially.
 */
export function requireName(name: string, pathOf: () => string): void {
  requireText(name, pathOf);
  if (name === "__proto__") throw invalidRequest([{ path: pathOf(), message: "Unknown field." }]);
}
