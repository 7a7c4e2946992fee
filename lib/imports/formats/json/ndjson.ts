import { TextLines } from "../../../wire/text-lines.ts";
import { LINE_MAX_LENGTH, type Reader, type Reading } from "../reader.ts";
import { jsonLines } from "./json-line.ts";

/** One JSON object per line, separated by line feeds. Blank lines are ignored. */
export function readNdjson(reading: Reading): Reader {
  const readObject = jsonLines(reading);
  const lines = new TextLines(
    LINE_MAX_LENGTH,
    (text) => {
      if (text.trim() !== "") readObject(text, { line: lines.number });
    },
    () =>
      reading.out.refuse(
        { line: lines.number },
        null,
        "The line is too long.",
        "",
        `at most ${LINE_MAX_LENGTH} characters`,
      ),
  );
  return { read: (text) => lines.read(text), end: () => lines.end() };
}
