/**
 * The text of a stored comment contains references, `<@user:ada>`; people read and write names,
 * `@ada`.
 */
export type Part = { text: string } | { user: string };

const REFERENCE = /<@(user:[^\s<>]{1,120})>/g;
const PARTIAL_MENTION = /(?:^|[\s(])@([^\s@<>]{0,120})$/;

/** The mention being typed before the caret: the place of its @, and the text after it. */
export function mentionAt(text: string, caret: number): { from: number; query: string } | null {
  const query = PARTIAL_MENTION.exec(text.slice(0, caret))?.[1];
  return query === undefined ? null : { from: caret - query.length - 1, query };
}

/**
 * Replaces each `@name` of a known person by a reference to them (`<@user:ada>`), as comments are
 * stored.
 */
export function withReferences(text: string, people: readonly string[]): string {
  const known = new Map(people.map((user) => [user.replace(/^user:/, "").toLowerCase(), user]));
  return text.replace(/(?<=^|[\s(])@([^\s@<>]+)/g, (typed, word: string) => {
    // A name can contain a dot, but a dot may also end a sentence.
    for (let length = word.length; length > 0; length -= 1) {
      const user = known.get(word.slice(0, length).toLowerCase());
      if (user && !/[\p{L}\p{N}_-]/u.test(word.charAt(length)))
        return `<@${user}>${word.slice(length)}`;
    }
    return typed;
  });
}

/** Splits a stored comment into its texts and the people that it mentions. */
export function partsOf(body: string): Part[] {
  return body
    .split(REFERENCE)
    .flatMap((piece, at) =>
      piece === "" ? [] : [at % 2 === 1 ? { user: piece } : { text: piece }],
    );
}
