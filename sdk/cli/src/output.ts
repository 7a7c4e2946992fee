/** Prints a result: as JSON with --json, else as text for people. */
export function print({ json }: { json?: boolean }, value: unknown, text: string): void {
  console.log(json ? JSON.stringify(value) : text);
}

/** Reports progress on stderr, so that stdout has only the result. */
export function note({ json }: { json?: boolean }, text: string): void {
  if (!json) console.error(text);
}

/** Reports each state whose text differs from the previous one. */
export function notes<State>(options: { json?: boolean }, textOf: (state: State) => string) {
  let latest: string | undefined;
  return (state: State): void => {
    const text = textOf(state);
    if (text !== latest) note(options, text);
    latest = text;
  };
}

/** Lines of two columns. */
export function facts(pairs: [string, string | number | null | undefined][]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${value ?? "none"}`).join("\n");
}

/** `a=1` as a pair. */
export function pairOf(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new Error(`Write ${text} as name=value.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** All of stdin, without its last line feed. */
export async function readStdin(): Promise<string> {
  let text = "";
  for await (const part of process.stdin.setEncoding("utf8")) text += part;
  return text.trimEnd();
}
