import { invalidRequest } from "./errors.ts";
import { scanJson } from "./json-scan.ts";

/**
 * @throws ApiError 400 unless it is one well-formed JSON object that every part of the service can
 * store unchanged.
 */
export function parseJsonObject(text: string): Record<string, unknown> {
  scanJson(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidRequest([{ path: "", message: "Send well-formed JSON in UTF-8." }]);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidRequest([{ path: "", message: "Send a JSON object." }]);
  }
  return value as Record<string, unknown>;
}
