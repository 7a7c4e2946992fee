import { open, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { buffer } from "node:stream/consumers";
import { openFile } from "../../typescript/src/node.ts";
import { CliError, EXIT } from "./failure.ts";

const STDIN = "-";
const REASONS: Record<string, string> = {
  ENOENT: "there is no such file",
  EACCES: "you may not read it",
  EISDIR: "it is a folder",
};

/** A file to send, or stdin with `-`. @throws CliError if it can't be read */
export async function fileOf(path: string): Promise<File> {
  return path === STDIN ? new File([await buffer(process.stdin)], "stdin") : readableFile(path);
}

/** A file to send. @throws CliError if it can't be read */
export async function readableFile(path: string): Promise<File> {
  await requireReadable(path);
  return openFile(path);
}

/** The text of a file, or of stdin with `-`. @throws CliError if it can't be read */
export async function textOf(path: string): Promise<string> {
  return path === STDIN ? readStdin() : readFile(path, "utf8").catch(refuse(path));
}

/** All of stdin, without white space at its end. */
export async function readStdin(): Promise<string> {
  return (await buffer(process.stdin)).toString().trimEnd();
}

/** The file's name, as an import records it. */
export function nameOf(path: string): string {
  return path === STDIN ? "stdin" : basename(path);
}

/** `a=1` as a pair. */
export function pairOf(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new CliError(EXIT.usage, `Write ${text} as name=value.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** @throws CliError unless the text is an address of HTTP */
export function requireAddress(option: string, text: string): void {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new CliError(EXIT.usage, `${option} takes an address such as https://tieout.example.`);
}

/** Node's own error for a file that can't be opened as a blob doesn't say why. */
async function requireReadable(path: string): Promise<void> {
  const file = await open(path).catch(refuse(path));
  const isFolder = (await file.stat()).isDirectory();
  await file.close();
  if (isFolder) refuse(path)({ code: "EISDIR", message: "" });
}

function refuse(path: string) {
  return ({
    code = "",
    message,
  }: NodeJS.ErrnoException | { code: string; message: string }): never => {
    throw new CliError(EXIT.usage, `Can't read ${path}: ${REASONS[code] ?? message}.`);
  };
}
