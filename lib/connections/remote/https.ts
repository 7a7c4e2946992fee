import { Http, type HttpResponse, headerOf } from "./http-client.ts";
import { type Access, isPlainName, type Remote, type RemoteFile } from "./remote.ts";
import { RemoteError } from "./remote-error.ts";

/** The statuses of a server that doesn't support HEAD. */
const HEAD_UNSUPPORTED = [405, 501];
/** The statuses of a HEAD to a signed URL that is valid only for GET (S3, Google). */
const HEAD_FORBIDDEN = [401, 403];

/** A single file at a URL. */
export async function httpsRemote({ url, settings, allowHosts, signal }: Access): Promise<Remote> {
  const http = new Http(allowHosts, signal);
  const target = new URL(url);
  if (settings.auth === "signed_query")
    target.search = `?${(settings.credential ?? "").replace(/^\?/, "")}`;
  const headers = new Headers();
  if (settings.auth === "bearer") headers.set("authorization", `Bearer ${tokenOf(settings)}`);
  if (settings.auth === "password") {
    const pair = Buffer.from(`${settings.user_name}:${settings.credential}`).toString("base64");
    headers.set("authorization", `Basic ${pair}`);
  }
  const path = nameIn(url);
  const refuseWrite = () =>
    Promise.reject(new RemoteError("A file at an https address is only read."));

  return {
    async list() {
      const acceptedStatuses =
        settings.auth === "signed_query"
          ? [...HEAD_UNSUPPORTED, ...HEAD_FORBIDDEN]
          : HEAD_UNSUPPORTED;
      const response = await http.call({ method: "HEAD", url: target, headers }, acceptedStatuses);
      await response.body.dump().catch(() => {});
      if (!acceptedStatuses.includes(response.statusCode)) return [describe(path, response)];
      const opened = await http.call({ method: "GET", url: target, headers });
      opened.body.on("error", () => {}).destroy();
      return [describe(path, opened)];
    },
    async read() {
      return (await http.call({ method: "GET", url: target, headers })).body;
    },
    move: refuseWrite,
    remove: refuseWrite,
    write: refuseWrite,
    close: () => http.close(),
  };
}

function tokenOf({ credential }: Access["settings"]): string {
  if (credential !== null && /^[\x21-\x7e]+$/.test(credential)) return credential;
  throw new RemoteError("The token has characters that a header can't have.", true);
}

function nameIn({ pathname, hostname }: URL): string {
  const last = pathname.split("/").findLast((part) => part !== "") ?? hostname;
  try {
    const name = decodeURIComponent(last);
    return isPlainName(name) ? name : hostname;
  } catch {
    return hostname;
  }
}

function describe(path: string, response: HttpResponse): RemoteFile {
  const length = headerOf(response, "content-length");
  const modified = Date.parse(headerOf(response, "last-modified") ?? "");
  return {
    path,
    bytes: length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null,
    modified_at: Number.isNaN(modified) ? null : new Date(modified).toISOString(),
  };
}
