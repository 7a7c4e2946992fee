import { AwsV4Signer } from "aws4fetch";
import { SaxesParser } from "saxes";
import { Http, headerOf, textOf } from "./http-client.ts";
import { type Access, isPlainName, nameBeside, type Remote, type RemoteFile } from "./remote.ts";
import { RemoteError } from "./remote-error.ts";

/** A page of S3 has a thousand names. */
const PAGES_MAX = 10;
const NOT_FOUND = 404;

/** `source`: the object that is copied to the key; `content`: what is written there. */
type Target = {
  key?: string;
  query?: object;
  source?: string;
  content?: Uint8Array | undefined;
};

/** The objects below a prefix of a bucket, addressed by path: https://endpoint/bucket/prefix. */
export async function s3Remote({ url, settings, allowHosts, signal }: Access): Promise<Remote> {
  const http = new Http(allowHosts, signal);
  const [bucket = "", ...rest] = decodeURIComponent(url.pathname).replace(/^\//, "").split("/");
  if (bucket === "") throw new RemoteError("The address names no bucket.", true);
  if (!/^[\x21-\x7e]+$/.test(settings.user_name ?? ""))
    throw new RemoteError("The ID of the access key has characters that no such ID has.", true);
  const folder = rest.filter((part) => part !== "").join("/");
  const prefix = folder === "" ? "" : `${folder}/`;

  const call = async (
    method: "GET" | "HEAD" | "PUT" | "DELETE",
    { key = "", query = {}, source, content }: Target,
    others?: number[],
  ) => {
    const target = new URL(`/${[bucket, ...key.split("/")].map(encoded).join("/")}`, url);
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
    const signer = new AwsV4Signer({
      method,
      url: target.href,
      headers: source === undefined ? {} : { "x-amz-copy-source": copySource(bucket, source) },
      accessKeyId: settings.user_name ?? "",
      secretAccessKey: settings.credential ?? "",
      region: settings.region ?? "",
      service: "s3",
    });
    const signed = await signer.sign();
    const headers = new Headers(signed.headers);
    return http.call({ method, url: signed.url, headers, content }, others);
  };
  const remove = async (path: string) => {
    await (await call("DELETE", { key: prefix + path })).body.dump().catch(() => {});
  };

  return {
    async list() {
      const files: RemoteFile[] = [];
      let token: string | null = null;
      for (let page = 0; page < PAGES_MAX; page++) {
        const query = {
          "list-type": "2",
          delimiter: "/",
          ...(prefix !== "" && { prefix }),
          ...(token !== null && { "continuation-token": token }),
        };
        const listed = parsedList(await textOf(await call("GET", { query })));
        for (const { key, ...file } of listed.objects) {
          const path = key.slice(prefix.length);
          if (key.startsWith(prefix) && isPlainName(path)) files.push({ path, ...file });
        }
        token = listed.next;
        if (token === null) return files;
      }
      throw new RemoteError("The bucket has more than 10,000 files there. Use a prefix.", true);
    },
    async read({ path }) {
      return (await call("GET", { key: prefix + path })).body;
    },
    async move(path, folderName) {
      const below = `${prefix}${folderName}/`;
      const found = await call("HEAD", { key: below + path }, [NOT_FOUND]);
      await found.body.dump().catch(() => {});
      const name = found.statusCode === NOT_FOUND ? path : nameBeside(path);
      const copied = await call("PUT", { key: below + name, source: prefix + path });
      // S3 may begin a response of 200 and report an error in its body.
      if ((await textOf(copied)).includes("<Error>") || headerOf(copied, "x-amz-error-code"))
        throw new RemoteError(`The server couldn't copy ${path} to ${folderName}.`);
      await remove(path);
    },
    remove,
    async write(name, content, folderName) {
      const key = `${prefix}${folderName === null ? "" : `${folderName}/`}${name}`;
      await (await call("PUT", { key, content })).body.dump().catch(() => {});
    },
    close: () => http.close(),
  };
}

/** As AWS encodes a path: everything but letters, digits and - . _ ~. */
function encoded(part: string): string {
  return encodeURIComponent(part).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function copySource(bucket: string, key: string): string {
  return `/${[bucket, ...key.split("/")].map(encoded).join("/")}`;
}

type Listed = {
  objects: { key: string; bytes: number | null; modified_at: string | null }[];
  next: string | null;
};

/** @throws RemoteError for a response that is no list of objects */
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
