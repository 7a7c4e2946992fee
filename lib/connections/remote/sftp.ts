import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import SftpClient from "ssh2-sftp-client";
import { connectChecked } from "../../webhooks/connector.ts";
import { whyNotFetched } from "../address.ts";
import { type Access, isPlainName, nameBeside, type Remote } from "./remote.ts";
import { RemoteError, remoteError } from "./remote-error.ts";

const READY_WITHIN_MS = 20_000;
const KEEPALIVE_MS = 15_000;
const LISTED_MAX = 10_000;

/** The files of one folder of an SSH server. */
export async function sftpRemote(access: Access): Promise<Remote> {
  const { url, settings, allowHosts, signal } = access;
  const refusal = whyNotFetched(settings.address, allowHosts);
  if (refusal !== null) throw new RemoteError(refusal, true);
  const folder = decodeURIComponent(url.pathname).replace(/\/+$/, "") || "/";
  const within = (...names: string[]) => [folder === "/" ? "" : folder, ...names].join("/");
  // Errors after the end of a call are those of the next one, too.
  const ignored = () => {};
  const client = new SftpClient("connection", { error: ignored, end: ignored, close: ignored });
  const close = async () => {
    await client.end().catch(() => {});
  };
  signal.addEventListener("abort", () => void close(), { once: true });
  await signIn(client, access);

  const attempt = async <Answer>(what: string, call: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await call();
    } catch (error) {
      throw sftpError(what, error);
    }
  };
  const makeFolder = async (name: string) => {
    if (!(await client.exists(within(name)))) await client.mkdir(within(name));
  };
  return {
    async list() {
      const entries = await attempt(`list ${folder}`, () => client.list(folder));
      if (entries.length > LISTED_MAX)
        throw new RemoteError("The folder has more than 10,000 files.", true);
      return entries
        .filter(({ type, name }) => type === "-" && isPlainName(name))
        .map(({ name, size, modifyTime }) => ({
          path: name,
          bytes: size,
          modified_at: new Date(modifyTime).toISOString(),
        }));
    },
    async read({ path }) {
      return client.createReadStream(within(path)) as unknown as Readable;
    },
    async move(path, folderName) {
      await attempt(`move ${path}`, async () => {
        await makeFolder(folderName);
        const isTaken = await client.exists(within(folderName, path));
        const name = isTaken ? nameBeside(path) : path;
        await client.rename(within(path), within(folderName, name));
      });
    },
    async remove(path) {
      await attempt(`delete ${path}`, () => client.delete(within(path)));
    },
    async write(name, content, folderName) {
      const folders = folderName === null ? [] : [folderName];
      const [unfinished, whole] = [within(...folders, `${name}.part`), within(...folders, name)];
      await attempt(`write ${name}`, async () => {
        if (folderName !== null) await makeFolder(folderName);
        await client.put(Buffer.from(content), unfinished);
        // Not every server renames to a name that is taken.
        if (await client.exists(whole)) await client.delete(whole);
        await client.rename(unfinished, whole);
      });
    },
    close,
  };
}

async function signIn(
  client: SftpClient,
  { url, settings, allowHosts, acceptsHostKey }: Access,
): Promise<void> {
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
    await client.connect({
      sock,
      username: settings.user_name ?? "",
      ...credential,
      readyTimeout: READY_WITHIN_MS,
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
    });
  } catch (error) {
    sock.destroy();
    if (refusedKey)
      throw new RemoteError(
        "The server showed another host key than before. Check it with the bank: set the new key " +
          "if it is theirs.",
        true,
      );
    throw signInError(error);
  }
}

/** As `ssh-keygen -l` shows it. */
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

function sftpError(what: string, error: unknown): RemoteError {
  if (error instanceof RemoteError) return error;
  const { message } = error as Error;
  if (/no such file/i.test(message)) return new RemoteError(`Can't ${what}: it isn't there.`);
  if (/permission denied/i.test(message))
    return new RemoteError(`Can't ${what}: the server doesn't permit it.`, true);
  return new RemoteError(`Can't ${what}: the server refused it or the connection ended.`);
}
