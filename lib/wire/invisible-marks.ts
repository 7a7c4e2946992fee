/** Marks of the direction of writing and of line breaks, which spreadsheets and web pages add. */
const INVISIBLE = /[\u00AD\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g;

/** A text without characters that nobody sees, so that "\u200E-45.20" is an amount. */
export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, "");
}
