import { LINE_MAX_LENGTH, type Reader, type Reading } from "../reader.ts";
import { refuseFile } from "../refusal.ts";
import { jsonLines } from "./json-line.ts";

const QUOTE = 34;
const BACKSLASH = 92;

/**
 * JSON: a list of objects, or an object whose member `lines` is one, or the list at the mapping's
 * `lines_path`; its other members are ignored. Splits the list into its objects as they arrive. A
 * streaming parser would convert numbers to floats before their digits can be read, so the text is
 * split here, and JSON.parse checks each object.
 */
export function readJson(reading: Reading): Reader {
  const readObject = jsonLines(reading);
  const { out } = reading;
  const linesPath = reading.mapping?.lines_path;
  const path = linesPath?.split(".") ?? ["lines"];
  const wantedList =
    linesPath === undefined
      ? 'a list of objects, or an object with a list "lines"'
      : `a list of objects at ${linesPath}`;
  let state: "start" | "envelope" | "list" | "after" = "start";
  /** The text around the list so far, which is at most a few members. */
  let envelope = "";
  /** The brackets that close the open objects. */
  let closers = "";
  let lineNumber = 1;
  let depth = 0;
  let inText = false;
  let escaped = false;
  let parts: string[] = [];
  let length = 0;
  let tooLong = false;
  let objectLine = 0;
  /** Whether a comma must come before the next object of the list. */
  let afterObject = false;
  let afterComma = false;

  const refuse = (problem: string, found: string, wanted = wantedList) =>
    refuseFile({ line: lineNumber }, null, problem, found, wanted);

  function append(part: string): void {
    length += part.length;
    if (length > LINE_MAX_LENGTH) tooLong = true;
    if (tooLong) parts = [];
    else parts.push(part);
  }

  function finishObject(): void {
    const place = { line: objectLine };
    if (tooLong)
      out.refuse(
        place,
        null,
        "The object is too long.",
        "",
        `at most ${LINE_MAX_LENGTH} characters`,
      );
    else readObject(parts.join(""), place);
    parts = [];
    length = 0;
    tooLong = false;
    afterObject = true;
    afterComma = false;
  }

  /** Handles a character of the list that is outside of any object. */
  function betweenObjects(character: string): void {
    if (character === "{" && !afterObject) {
      depth = 1;
      objectLine = lineNumber;
    } else if (character === "," && afterObject) {
      afterObject = false;
      afterComma = true;
    } else if (character === "]" && !afterComma) {
      state = "after";
      envelope = envelope === "" ? "" : `${envelope}[]`;
    } else if (!isSpace(character))
      throw refuse("The list has something else than objects.", character);
  }

  /**
   * Handles text outside of the list: it is collected, and checked as JSON once it is complete.
   */
  function outsideList(character: string): void {
    if (state === "start") {
      if (isSpace(character)) return;
      if (character === "[" && linesPath === undefined) state = "list";
      else if (character === "{") {
        state = "envelope";
        envelope = "{";
        closers = "}";
      } else throw refuse("The file does not begin like JSON.", character);
      return;
    }
    if (envelope === "") {
      if (!isSpace(character)) throw refuse("Something follows the list.", character, "nothing");
      return;
    }
    if (
      character === "[" &&
      state === "envelope" &&
      !inText &&
      opensList(envelope, closers, path)
    ) {
      state = "list";
      return;
    }
    envelope += character;
    if (envelope.length > LINE_MAX_LENGTH)
      throw refuse(`There is no list "${path.join(".")}" near the beginning.`, envelope);
    if (!inText) {
      if (character === "{") closers = `}${closers}`;
      else if (character === "[") closers = `]${closers}`;
      else if (character === "}" || character === "]") closers = closers.slice(1);
    }
    if (escaped) escaped = false;
    else if (character === "\\") escaped = inText;
    else if (character === '"') inText = !inText;
  }

  function read(text: string): void {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 10) lineNumber++;
      if (depth === 0) {
        if (state === "list") betweenObjects(text.charAt(at));
        else outsideList(text.charAt(at));
        from = at;
        continue;
      }
      if (inText) {
        if (escaped) escaped = false;
        else if (code === BACKSLASH) escaped = true;
        else if (code === QUOTE) inText = false;
      } else if (code === QUOTE) inText = true;
      else if (code === 123 || code === 91) depth++;
      else if ((code === 125 || code === 93) && --depth === 0) {
        append(text.slice(from, at + 1));
        finishObject();
      }
    }
    if (depth > 0) append(text.slice(from));
  }

  function end(): void {
    if (depth > 0 || state === "list" || state === "start")
      throw refuse("The file ends in the middle.", "", 'the rest of it, up to the closing "]"');
    if (envelope === "") return;
    const around = tryParse(envelope);
    if (around === undefined) throw refuse("The object around the list is not JSON.", envelope);
    if (state === "envelope") throw refuse(`There is no list "${path.join(".")}".`, envelope);
    // A second list at that path would replace the first, which was cut out.
    if (!isEmptyList(memberAt(around, path)))
      throw refuse("A name around the list comes twice.", envelope, "each name once");
  }

  return { read, end };
}

function isSpace(character: string): boolean {
  return character === " " || character === "\n" || character === "\r" || character === "\t";
}

/** Whether the list that opens here is the one at the path from the outermost object. */
function opensList(before: string, closers: string, path: readonly string[]): boolean {
  if (closers.length !== path.length) return false;
  const opens = /"\s*:\s*$/.exec(before);
  if (!opens || !before.slice(0, opens.index + 1).endsWith(JSON.stringify(path.at(-1))))
    return false;
  return isEmptyList(memberAt(tryParse(`${before}[]${closers}`), path));
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (
      typeof found !== "object" ||
      found === null ||
      Array.isArray(found) ||
      !Object.hasOwn(found, name)
    )
      return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
