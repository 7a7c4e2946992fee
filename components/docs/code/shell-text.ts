import type { Word, WordPart } from "unbash";

/** The text of a shell word: literal parts, and the variables between them. */
export type ShellText = readonly (string | { variable: string })[];

/** Null where a shell would do more than insert variables. */
export function textOfWord(word: Word): ShellText | null {
  return word.parts ? joined(word.parts.map(textOfPart)) : [word.value];
}

function textOfPart(part: WordPart): ShellText | null {
  if (part.type === "Literal" || part.type === "SingleQuoted") return [part.value];
  if (part.type === "SimpleExpansion") return [{ variable: part.text.slice(1) }];
  // The `*` and `?` of an unquoted address.
  if (part.type === "Glob") return [part.text];
  return part.type === "DoubleQuoted" ? joined(part.parts.map(textOfPart)) : null;
}

function joined(texts: readonly (ShellText | null)[]): ShellText | null {
  return texts.every((text) => text !== null) ? texts.flat() : null;
}

/** What follows a literal beginning, or null if the text begins differently. */
export function withoutStart(text: ShellText, start: string): ShellText | null {
  const [first, ...rest] = text;
  if (typeof first !== "string" || !first.toLowerCase().startsWith(start.toLowerCase()))
    return null;
  const left = first.slice(start.length);
  return left === "" && rest.length > 0 ? rest : [left, ...rest];
}

export const isLiteral = (text: ShellText | undefined, value: string): boolean =>
  text?.length === 1 && text[0] === value;

export const isVariable = (text: ShellText | undefined, name: string): boolean =>
  text?.length === 1 && typeof text[0] === "object" && text[0].variable === name;

/** For a shell, in quotes only if it needs them. */
export function shellOf(text: ShellText): string {
  const word = text.map((part) => (typeof part === "string" ? part : `$${part.variable}`)).join("");
  if (/^[\w./:@=,+-]+$/.test(word)) return word;
  const hasVariable = text.some((part) => typeof part !== "string");
  return hasVariable || !/["$`\\]/.test(word) ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Private characters around the name of a variable, in a text that a parser reads. */
const [START, END] = ["\uE000", "\uE001"];

export function markedText(text: ShellText): string {
  return text
    .map((part) => (typeof part === "string" ? part : `${START}${part.variable}${END}`))
    .join("");
}

/** @returns the literal parts and variables of a text from `markedText` */
export function unmarked(text: string): ShellText {
  return text
    .split(/(\uE000\w+\uE001)/)
    .filter((part) => part !== "")
    .map((part) => (part.startsWith(START) ? { variable: part.slice(1, -1) } : part));
}
