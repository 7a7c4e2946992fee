/**
 * Splits text that arrives in pieces into lines, which end with LF or CRLF. A line longer than
 * `maxLength` is dropped: `onLong` is called as soon as it is too long.
 */
export class TextLines {
  /** The number of the line for which `onLine` or `onLong` is called, from 1. */
  number = 0;
  readonly #maxLength: number;
  readonly #onLine: (line: string) => void;
  readonly #onLong: () => void;
  #open: string[] = [];
  #length = 0;

  constructor(maxLength: number, onLine: (line: string) => void, onLong: () => void) {
    this.#maxLength = maxLength;
    this.#onLine = onLine;
    this.#onLong = onLong;
  }

  read(text: string): void {
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      const part = text.slice(from, at);
      from = at + 1;
      if (this.#length === 0 && part.length <= this.#maxLength) this.#hand(part);
      else {
        this.#extend(part);
        this.#close();
      }
    }
    if (from < text.length) this.#extend(text.slice(from));
  }

  /** Passes on the last line if the file does not end with a line feed. */
  end(): void {
    if (this.#length > 0) this.#close();
  }

  #extend(part: string): void {
    const wasLong = this.#length > this.#maxLength;
    this.#length += part.length;
    if (this.#length <= this.#maxLength) this.#open.push(part);
    else if (!wasLong) {
      this.#open = [];
      this.number++;
      this.#onLong();
    }
  }

  #close(): void {
    const line = this.#length > this.#maxLength ? null : this.#open.join("");
    this.#open = [];
    this.#length = 0;
    if (line !== null) this.#hand(line);
  }

  #hand(line: string): void {
    this.number++;
    this.#onLine(line.charCodeAt(line.length - 1) === 13 ? line.slice(0, -1) : line);
  }
}
