import { type Command, parse, type Redirection, type Statement, type Word } from "unbash";
import { isVariable, type ShellText, textOfWord } from "./shell-text.ts";

/** A call of the API by curl. `pos` and `end` are its place in the example. */
export type CurlCall = {
  kind: "call";
  pos: number;
  end: number;
  method: string;
  origin: ShellText;
  /** The path and the query. */
  target: ShellText;
  /** By name in lower case. */
  headers: ReadonlyMap<string, ShellText>;
  body: Word | undefined;
  /** The file that keeps the response. */
  saved: { path: string; pos: number; end: number } | undefined;
};

/**
 * `export ID=$(node -p 'require("./webhook.json").id')`: `from` is a path into a saved response, or
 * a template of several.
 */
type Capture = { kind: "capture"; name: string; file: string; from: string };

type Print = { kind: "print"; file: string };
export type Step = CurlCall | Capture | Print;

/** The steps of an example that calls the API by curl, or null if it does anything else besides. */
export function stepsOf(code: string): Step[] | null {
  const { commands, errors } = parse(code);
  const steps = commands.map((statement) => stepOf(statement, code));
  return !errors?.length && steps.every((step) => step !== null) ? steps : null;
}

/** The captures of any example, for those that follow. */
export function capturesOf(code: string): Capture[] {
  return parse(code)
    .commands.map((statement) => stepOf(statement, code))
    .filter((step) => step?.kind === "capture");
}

function stepOf({ command, background }: Statement, code: string): Step | null {
  if (command.type !== "Command" || background || command.prefix.length > 0) return null;
  const name = command.name?.value;
  if (name === "curl") return callOf(command);
  if (name === "export") return captureOf(code.slice(command.pos, command.end));
  const [file, ...more] = command.args;
  return name === "cat" && file?.type === "Word" && more.length === 0
    ? { kind: "print", file: file.value }
    : null;
}

const CAPTURE =
  /^export (\w+)=\$\(node -p 'require\("\.\/([\w-]+)\.json"\)((?:\.\w+|\[\d+\])+)'\)$/;
const CREDENTIAL =
  /^export (\w+)=\$\(node -p 'const \{ key_id, key_secret \} = require\("\.\/([\w-]+)\.json"\); `\$\{key_id\}\.\$\{key_secret\}`'\)$/;

function captureOf(text: string): Capture | null {
  const [, name = "", file = "", path = ""] = CAPTURE.exec(text) ?? [];
  if (name) return { kind: "capture", name, file, from: `${file}${path}` };
  const [, credential = "", key = ""] = CREDENTIAL.exec(text) ?? [];
  const from = `\`\${${key}.key_id}.\${${key}.key_secret}\``;
  return credential ? { kind: "capture", name: credential, file: key, from } : null;
}

function callOf({ pos, end, args, redirects }: Command): CurlCall | null {
  const headers = new Map<string, ShellText>();
  let [method, body, address]: [string?, Word?, (Address | null)?] = [];
  const words = args.filter((arg) => arg.type === "Word");
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as Word;
    const value = words[at + 1];
    if (!word.value.startsWith("-")) {
      if (address) return null;
      address = addressOf(word);
      continue;
    }
    at += 1;
    if (word.value === "-X") method = value?.value;
    else if (word.value === "-d" || word.value === "--data-binary") body = value;
    else if (word.value !== "-H" || !value || !addHeader(headers, value)) return null;
  }
  const saved = savedTo(redirects);
  if (!address || saved === null) return null;
  const last = words.at(-1) as Word;
  const verb = method ?? (body ? "POST" : "GET");
  const place = { pos, end: saved ? last.end : end };
  return { kind: "call", ...place, method: verb, ...address, headers, body, saved };
}

type Address = Pick<CurlCall, "origin" | "target">;

/** Null if it is no address of the API. */
function addressOf(word: Word): Address | null {
  const [first = "", ...rest] = textOfWord(word) ?? [];
  if (isVariable([first], "TIEOUT_URL")) {
    const isOurs = typeof rest[0] === "string" && rest[0].startsWith("/v1/");
    return isOurs ? { origin: [first], target: rest } : null;
  }
  const [, origin, path] = /^(https?:\/\/[^/]+)(\/v1\/.*)$/.exec(String(first)) ?? [];
  return origin && path ? { origin: [origin], target: [path, ...rest] } : null;
}

function addHeader(headers: Map<string, ShellText>, word: Word): boolean {
  const [first, ...rest] = textOfWord(word) ?? [];
  const start = typeof first === "string" ? first : "";
  const [, name = "", value = ""] = /^([\w-]+): (.*)$/s.exec(start) ?? [];
  if (name) headers.set(name.toLowerCase(), value === "" ? rest : [value, ...rest]);
  return name !== "";
}

/** Null if the response goes to more than one file. */
function savedTo(redirects: readonly Redirection[]): CurlCall["saved"] | null {
  const [first, ...more] = redirects;
  if (!first) return undefined;
  if (more.length > 0 || first.type !== "Redirect" || first.operator !== ">" || !first.target)
    return null;
  return { path: first.target.value, pos: first.pos, end: first.end };
}
