import type { Readable } from "node:stream";
import type { Connection, SenderChecks } from "../contract.ts";

/**
 * A file on a server, or in a mail, which has a sender. `modified_at` and `bytes` are null if the
 * server doesn't state them.
 */
export type RemoteFile = {
  path: string;
  bytes: number | null;
  modified_at: string | null;
  sender?: string;
  checks?: SenderChecks;
};

/**
 * A server that files are fetched from or written to. Every call throws a RemoteError with a
 * sentence for the tenant.
 */
export type Remote = {
  /** The files of the connection's folder, without those whose names aren't plain. */
  list(): Promise<RemoteFile[]>;
  read(file: RemoteFile): Promise<Readable>;
  /** Moves a file to a subfolder. An existing file of that name there is kept. */
  move(path: string, folder: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Writes a whole file to the folder or a subfolder, replacing an existing one of that name. */
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
  /** Ends running calls. */
  signal: AbortSignal;
  /** Decides, before anything is sent, whether to accept an SSH server's key. */
  acceptsHostKey: (fingerprint: string) => Promise<boolean>;
};

/** The longest name that a file system accepts. */
const NAME_MAX = 255;

/** Whether a name given by a server is the plain name of a file, and not a path. */
export function isPlainName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: No name of a file has them.
  return name.length <= NAME_MAX && /^(?!\.{1,2}$)[^/\\\u0000-\u001f\u007f]+$/.test(name);
}

/** The name of a moved file if its own name is taken there. */
export function timestampedName(name: string): string {
  return `${name.slice(0, NAME_MAX - 30)}.${new Date().toISOString().replaceAll(/[-:.]/g, "")}`;
}
