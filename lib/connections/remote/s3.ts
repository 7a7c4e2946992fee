import type { Readable } from "node:stream";
import { AwsV4Signer } from "aws4fetch";
import { SaxesParser } from "saxes";
import { Http, type HttpResponse, headerOf, textOf } from "./http-client.ts";
import {
  type Access,
  isPlainName,
  type Remote,
  type RemoteFile,
  timestampedName,
} from "./remote.ts";
import { RemoteError } from "./remote-error.ts";

/** The maximum number of pages that are listed. S3 returns 1,000 names per page. */
const PAGES_MAX = 10;
const NOT_FOUND = 404;

/** `source`: the object that is copied to the key; `content`: the content to write. */
type Target = {
  key?: string;
  query?: object;
  source?: string;
  content?: Uint8Array | undefined;
};

/**
 * @throws RemoteError for an address without a bucket, or an access key ID with invalid characters
 */
export async function s3Remote(access: Access): Promise<Remote> {
  const [bucket = "", ...folders] = decodeURIComponent(access.url.pathname)
    .split("/")
    .filter((part) => part !== "");
  if (bucket === "") throw new RemoteError("The address names no bucket.", true);
  if (!/^[\x21-\x7e]+$/.test(access.settings.user_name ?? ""))
    throw new RemoteError("The ID of the access key has characters that no such ID has.", true);
  return new S3Remote(access, bucket, folders.map((folder) => `${folder}/`).join(""));
}

/** The objects below a prefix of a bucket, addressed by path: https://endpoint/bucket/prefix. */
class S3Remote implements Remote {
  readonly #access: Access;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #http: Http;

  constructor(access: Access, bucket: string, prefix: string) {
    this.#access = access;
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#http = new Http(access.allowHosts, access.signal);
  }

  async list(): Promise<RemoteFile[]> {
    const files: RemoteFile[] = [];
    let token: string | null = null;
    for (let page = 0; page < PAGES_MAX; page++) {
      const listed: Listed = parsedList(await textOf(await this.#listPage(token)));
      for (const { key, ...file } of listed.objects) {
        const path = key.slice(this.#prefix.length);
        if (key.startsWith(this.#prefix) && isPlainName(path)) files.push({ path, ...file });
      }
      token = listed.next;
      if (token === null) return files;
    }
    throw new RemoteError("The bucket has more than 10,000 files there. Use a prefix.", true);
  }

  #listPage(token: string | null): Promise<HttpResponse> {
    const query = {
      "list-type": "2",
      delimiter: "/",
      ...(this.#prefix !== "" && { prefix: this.#prefix }),
      ...(token !== null && { "continuation-token": token }),
    };
    return this.#call("GET", { query });
  }

  async read({ path }: RemoteFile): Promise<Readable> {
    return (await this.#call("GET", { key: this.#prefix + path })).body;
  }

  async move(path: string, folder: string): Promise<void> {
    const folderPrefix = `${this.#prefix}${folder}/`;
    const found = await this.#call("HEAD", { key: folderPrefix + path }, [NOT_FOUND]);
    await found.body.dump().catch(() => {});
    const name = found.statusCode === NOT_FOUND ? path : timestampedName(path);
    const copied = await this.#call("PUT", {
      key: folderPrefix + name,
      source: this.#prefix + path,
    });
    // S3 may begin a response of 200 and report an error in its body.
    if ((await textOf(copied)).includes("<Error>") || headerOf(copied, "x-amz-error-code"))
      throw new RemoteError(`The server couldn't copy ${path} to ${folder}.`);
    await this.remove(path);
  }

  async remove(path: string): Promise<void> {
    const deleted = await this.#call("DELETE", { key: this.#prefix + path });
    await deleted.body.dump().catch(() => {});
  }

  async write(name: string, content: Uint8Array, folder: string | null): Promise<void> {
    const key = `${this.#prefix}${folder === null ? "" : `${folder}/`}${name}`;
    const written = await this.#call("PUT", { key, content });
    await written.body.dump().catch(() => {});
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  async #call(
    method: "GET" | "HEAD" | "PUT" | "DELETE",
    { key = "", query = {}, source, content }: Target,
    acceptedStatuses?: number[],
  ): Promise<HttpResponse> {
    const { url, settings } = this.#access;
    const target = new URL(pathOf(this.#bucket, key), url);
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
    const signer = new AwsV4Signer({
      method,
      url: target.href,
      headers: source === undefined ? {} : { "x-amz-copy-source": pathOf(this.#bucket, source) },
      accessKeyId: settings.user_name ?? "",
      secretAccessKey: settings.credential ?? "",
      region: settings.region ?? "",
      service: "s3",
    });
    const signed = await signer.sign();
    const headers = new Headers(signed.headers);
    return this.#http.call({ method, url: signed.url, headers, content }, acceptedStatuses);
  }
}

/** The path of an object; slashes in its key are kept. */
function pathOf(bucket: string, key: string): string {
  return `/${[bucket, ...key.split("/")].map(encoded).join("/")}`;
}

/** Encodes a path as AWS does: everything but letters, digits and - . _ ~. */
function encoded(part: string): string {
  return encodeURIComponent(part).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

type Listed = {
  objects: { key: string; bytes: number | null; modified_at: string | null }[];
  next: string | null;
};

/** @throws RemoteError if the response is not a list of objects */
function parsedList(xml: string): Listed {
  const listed: Listed = { objects: [], next: null };
  const parser = new SaxesParser();
  let fields: Record<string, string> = {};
  let text = "";
  let root: string | undefined;
  parser.on("opentag", ({ name }) => {
    root ??= name;
    if (name === "Contents") fields = {};
    text = "";
  });
  parser.on("text", (more) => {
    text += more;
  });
  parser.on("closetag", ({ name }) => {
    if (name === "Contents") listed.objects.push(objectOf(fields));
    else if (name === "NextContinuationToken") listed.next = text;
    else fields[name] = text;
  });
  try {
    parser.write(xml).close();
  } catch {
    root = undefined;
  }
  if (root !== "ListBucketResult")
    throw new RemoteError("The server's response is no list of objects of S3.", true);
  return listed;
}

function objectOf({ Key = "", Size = "", LastModified = "" }: Record<string, string>) {
  const modified = Date.parse(LastModified);
  return {
    key: Key,
    bytes: /^\d{1,15}$/.test(Size) ? Number(Size) : null,
    modified_at: Number.isNaN(modified) ? null : new Date(modified).toISOString(),
  };
}
