/** Text as a database keeps it: without NUL characters and halves of characters. One such text would have it refuse a whole batch. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}
