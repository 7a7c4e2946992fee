import { invalidRequest } from "../wire/errors.ts";
import { requireText } from "../wire/text.ts";

/**
 * A header's value, decoded as UTF-8 (Node reads headers as Latin-1). Null without the header.
 * @throws ApiError 400 if it isn't UTF-8 or has more than `max` characters.
 */
export function headerText(headers: Headers, name: string, max: number): string | null {
  const bytes = headers.get(name);
  if (bytes === null) return null;
  const text = decode(bytes, name);
  requireText(text, () => name);
  if ([...text].length > max)
    throw invalidRequest([{ path: name, message: `Must have at most ${max} characters.` }]);
  return text;
}

function decode(latin1: string, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(latin1, "latin1"));
  } catch {
    throw invalidRequest([{ path: name, message: "Send this header in UTF-8." }]);
  }
}
