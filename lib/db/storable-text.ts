/**
 * Replaces what Postgres cannot store: NUL characters and lone surrogates. One such text would make
 * it reject a whole batch.
 */
export function toStorableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}
