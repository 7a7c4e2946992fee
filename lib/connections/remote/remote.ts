import type { Readable } from "node:stream";
import type { Connection, SenderChecks } from "../contract.ts";

/**
 * A file at a server, or of a mail, which has a sender. `modified_at` and `bytes` are null where
 * the server says neither.
 */
export type RemoteFile = {
  path: string;
  bytes: number | null;
  modified_at: string | null;
  sender?: string;
  checks?: SenderChecks;
};

/**
 * A server that files are fetched from or written to. Every call throws RemoteError with a
 * sentence.
 */
export type Remote = {
  /** The files of the one folder, without those that have no plain name. */
  list(): Promise<RemoteFile[]>;
  read(file: RemoteFile): Promise<Readable>;
  /** Moves a file to a folder below; another one of its name there stays. */
  move(path: string, folder: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Writes a file whole, over another of its name, to the folder or to one below. */
  write(name: string, content: Uint8Array, folder: string | null): Promise<void>;
  close(): Promise<void>;
};

export type Settings = Pick<
  Connection,
  "address" | "auth" | "user_name" | "region" | "host_key"
> & {
  kind: Connection["kind"];
  credential: string | null;
};

export type Access = {
  url: URL;
  settings: Settings;
  allowHosts: ReadonlySet<string>;
  /** Ends what is under way. */
  signal: AbortSignal;
  /** Decides, before anything is sent, about the key that an SSH server shows. */
  acceptsHostKey: (fingerprint: string) => Promise<boolean>;
};

/** The longest name that a file system takes. */
const NAME_MAX = 255;

/** Whether a name that a server gives is the plain name of a file, and no path. */
export function isPlainName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: No name of a file has them.
  return name.length <= NAME_MAX && /^(?!\.{1,2}$)[^/\\\u0000-\u001f\u007f]+$/.test(name);
}

/** A name for a file that is moved to where its own name is taken. */
export function timestampedName(name: string): string {
  return `${name.slice(0, NAME_MAX - 30)}.${new Date().toISOString().replaceAll(/[-:.]/g, "")}`;
}
