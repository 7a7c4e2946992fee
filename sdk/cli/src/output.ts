import { once } from "node:events";

/** Narrow enough for an ID of 36 characters in 40 columns. */
const INDENT = 2;

/** Prints a result: as JSON with --json, else as text for people. */
export function print({ json }: { json?: boolean }, value: unknown, text: string): void {
  console.log(json ? JSON.stringify(value) : text);
}

/** Reports progress on stderr, so that stdout has only the result. */
export function note({ json }: { json?: boolean }, text: string): void {
  if (!json) console.error(text);
}

/** Returns a function that reports each state whose text differs from the previous one. */
export function progressReporter<State>(
  options: { json?: boolean },
  textOf: (state: State) => string,
) {
  let latest: string | undefined;
  return (state: State): void => {
    const text = textOf(state);
    if (text !== latest) note(options, text);
    latest = text;
  };
}

/**
 * Lines of two columns. In a terminal, long values wrap within the second one, and a value with a
 * word that doesn't fit there goes below its name.
 */
export function facts(
  pairs: [string, string | number | null | undefined][],
  columns = process.stdout.columns ?? Number.POSITIVE_INFINITY,
): string {
  const width = Math.max(...pairs.map(([name]) => name.length)) + 2;
  return pairs
    .map(([name, value]) => {
      const text = String(value ?? "none");
      const longest = Math.max(...text.split(" ").map((word) => word.length));
      const isBelow = width + longest > columns;
      const indent = isBelow ? INDENT : width;
      const lines = wrapped(text, columns - indent).join(`\n${" ".repeat(indent)}`);
      return isBelow ? `${name}\n${" ".repeat(indent)}${lines}` : `${name.padEnd(width)}${lines}`;
    })
    .join("\n");
}

/** Wraps between words only, because an ID that is split can't be copied. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Writes to stdout no faster than its reader takes it, so that nothing collects in memory. */
export async function write(chunk: string | Uint8Array): Promise<void> {
  if (!process.stdout.write(chunk)) await once(process.stdout, "drain");
}

let interruption = "";

/** Until the promise settles, Ctrl-C says that this work continues. */
export async function waitingFor<Value>(work: string, promise: Promise<Value>): Promise<Value> {
  interruption = `Only the waiting has ended: ${work} goes on.`;
  try {
    return await promise;
  } finally {
    interruption = "";
  }
}

/** What Ctrl-C doesn't stop; empty if nothing continues. */
export function interruptionNote(): string {
  return interruption;
}
