import { createHash } from "node:crypto";
import type { Duplex, Readable } from "node:stream";
import SftpClient from "ssh2-sftp-client";
import { connectChecked } from "../../webhooks/connector.ts";
import { addressFault } from "../address.ts";
import { withByteLimit, withTimeout } from "./call-limits.ts";
import {
  type Access,
  isPlainName,
  type Remote,
  type RemoteFile,
  timestampedName,
} from "./remote.ts";
import { RemoteError, remoteError } from "./remote-error.ts";

const READY_TIMEOUT_MS = 20_000;
const KEEPALIVE_MS = 15_000;
/** A server that keeps the connection alive may still never answer. */
const ANSWER_MAX_MS = 60_000;
/** A batch of entries may take long on a slow line; the push has its own limit. */
const WRITE_MAX_MS = 600_000;
const CLOSE_MAX_MS = 5_000;
const LISTED_MAX = 10_000;
/** Fits 10,000 names of the maximum length, each of which SFTP sends twice. */
const LIST_MAX_BYTES = 16 * 1024 ** 2;
const TOO_MANY = "The folder has more than 10,000 files.";

/** @throws RemoteError if the server can't be reached or refuses the credential */
export async function sftpRemote(access: Access): Promise<Remote> {
  const { url, settings, allowHosts, signal } = access;
  const refusal = addressFault(settings.address, allowHosts);
  if (refusal !== null) throw new RemoteError(refusal, true);
  // Errors between two calls are ignored, because the next call fails with them, too.
  const ignored = () => {};
  const client = new SftpClient("connection", { error: ignored, end: ignored, close: ignored });
  signal.addEventListener("abort", () => void client.end().catch(ignored), { once: true });
  const socket = await signIn(client, access);
  return new SftpRemote(client, socket, decodeURIComponent(url.pathname));
}

/** The files of one folder of an SSH server. */
class SftpRemote implements Remote {
  readonly #client: SftpClient;
  readonly #socket: Duplex;
  readonly #folder: string;

  constructor(client: SftpClient, socket: Duplex, path: string) {
    this.#client = client;
    this.#socket = socket;
    this.#folder = path.replace(/\/+$/, "") || "/";
  }

  async list(): Promise<RemoteFile[]> {
    const folder = this.#folder;
    const entries = await attempt(`list ${folder}`, () =>
      withByteLimit(this.#socket, LIST_MAX_BYTES, TOO_MANY, () => this.#client.list(folder)),
    );
    if (entries.length > LISTED_MAX) throw new RemoteError(TOO_MANY, true);
    return entries
      .filter(({ type, name }) => type === "-" && isPlainName(name))
      .map(({ name, size, modifyTime }) => ({
        path: name,
        bytes: size,
        modified_at: new Date(modifyTime).toISOString(),
      }));
  }

  async read({ path }: RemoteFile): Promise<Readable> {
    return this.#client.createReadStream(this.#within(path)) as unknown as Readable;
  }

  async move(path: string, folder: string): Promise<void> {
    await attempt(`move ${path}`, async () => {
      await this.#makeFolder(folder);
      const isTaken = await this.#client.exists(this.#within(folder, path));
      const name = isTaken ? timestampedName(path) : path;
      await this.#client.rename(this.#within(path), this.#within(folder, name));
    });
  }

  async remove(path: string): Promise<void> {
    await attempt(`delete ${path}`, () => this.#client.delete(this.#within(path)));
  }

  async write(name: string, content: Uint8Array, folder: string | null): Promise<void> {
    const folders = folder === null ? [] : [folder];
    const unfinished = this.#within(...folders, `${name}.part`);
    const path = this.#within(...folders, name);
    const write = async () => {
      if (folder !== null) await this.#makeFolder(folder);
      await this.#client.put(Buffer.from(content), unfinished);
      // Not every server can rename a file to an existing name.
      if (await this.#client.exists(path)) await this.#client.delete(path);
      await this.#client.rename(unfinished, path);
    };
    await attempt(`write ${name}`, write, WRITE_MAX_MS);
  }

  async close(): Promise<void> {
    await withTimeout(CLOSE_MAX_MS, "sign out", () => this.#client.end()).catch(() => {});
    this.#socket.destroy();
  }

  #within(...names: string[]): string {
    return [this.#folder === "/" ? "" : this.#folder, ...names].join("/");
  }

  async #makeFolder(name: string): Promise<void> {
    const path = this.#within(name);
    if (!(await this.#client.exists(path))) await this.#client.mkdir(path);
  }
}

/** @throws RemoteError that says what couldn't be done, and why */
async function attempt<Answer>(
  operation: string,
  call: () => Promise<Answer>,
  limitMs = ANSWER_MAX_MS,
): Promise<Answer> {
  try {
    return await withTimeout(limitMs, operation, call);
  } catch (error) {
    throw sftpError(operation, error);
  }
}

async function signIn(
  client: SftpClient,
  { url, settings, allowHosts, acceptsHostKey }: Access,
): Promise<Duplex> {
  let refusedKey = false;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const sock = await connectChecked(host, url.port || "443", allowHosts).catch((error) => {
    throw remoteError(error);
  });
  const credential =
    settings.auth === "private_key"
      ? { privateKey: settings.credential ?? "" }
      : { password: settings.credential ?? "" };
  try {
    const options = {
      sock,
      username: settings.user_name ?? "",
      ...credential,
      readyTimeout: READY_TIMEOUT_MS,
      keepaliveInterval: KEEPALIVE_MS,
      hostVerifier: (key: Buffer, verify: (isAccepted: boolean) => void) => {
        acceptsHostKey(fingerprintOf(key)).then(
          (isAccepted) => {
            refusedKey = !isAccepted;
            verify(isAccepted);
          },
          () => verify(false),
        );
      },
    };
    await withTimeout(ANSWER_MAX_MS, "sign in", () => client.connect(options));
    return sock;
  } catch (error) {
    sock.destroy();
    if (error instanceof RemoteError) throw error;
    if (refusedKey)
      throw new RemoteError(
        "The server presented a different host key. Check it with the bank: set the new key " +
          "if it is theirs.",
        true,
      );
    throw signInError(error);
  }
}

/** The form that `ssh-keygen -l` shows. */
export function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}

function signInError(error: unknown): RemoteError {
  const { message, code } = error as Error & { code?: string };
  if (/authentication methods failed/i.test(message))
    return new RemoteError("The server refused the user name or the credential.", true);
  if (/privateKey|parse|key format|passphrase/i.test(message))
    return new RemoteError(
      "The private key can't be read. Use an OpenSSH or PEM key without a passphrase.",
      true,
    );
  if (/handshake|timed out/i.test(message))
    return new RemoteError("The server didn't complete the SSH handshake.");
  return code ? remoteError(error) : new RemoteError("The SSH connection failed.");
}

function sftpError(operation: string, error: unknown): RemoteError {
  if (error instanceof RemoteError) return error;
  const { message } = error as Error;
  if (/no such file/i.test(message)) return new RemoteError(`Can't ${operation}: it isn't there.`);
  if (/permission denied/i.test(message))
    return new RemoteError(`Can't ${operation}: the server doesn't permit it.`, true);
  return new RemoteError(`Can't ${operation}: the server refused it or the connection ended.`);
}
