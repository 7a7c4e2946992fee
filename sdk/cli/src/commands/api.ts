import { readFile } from "node:fs/promises";
import { send } from "../../../typescript/src/send.ts";
import { connect, type GlobalOptions } from "../connection.ts";
import { CliError, EXIT } from "../failure.ts";
import { readStdin } from "../output.ts";

type ApiOptions = GlobalOptions & { data?: string; paginate?: boolean; idempotencyKey?: string };
type Page = { items?: unknown[]; next_cursor?: string | null };

/** Any call, with the profile's credential. Prints the response, or with --paginate all items. */
export async function callApi(method: string, path: string, options: ApiOptions): Promise<void> {
  if (!path.startsWith("/v1/")) throw new CliError(EXIT.usage, "The path begins with /v1/.");
  const { transport } = await connect(options);
  const verb = method.toUpperCase();
  const body = await bodyOf(options.data);
  const headers: Record<string, string> = {
    Accept: "application/json",
    ...(body !== undefined && { "Content-Type": "application/json" }),
    ...(verb === "POST" && { "Idempotency-Key": options.idempotencyKey ?? crypto.randomUUID() }),
  };
  const call = async (target: string): Promise<unknown> => {
    const outgoing = { method: verb, path: target, headers, body, isLong: false };
    const { data } = await send(transport, outgoing, {}, async (response) => response.text());
    return data === "" ? null : JSON.parse(data);
  };
  if (!options.paginate) {
    console.log(JSON.stringify(await call(path), null, options.json ? 0 : 2));
    return;
  }
  const url = new URL(path, "http://x");
  for (let cursor: string | null = null; ; ) {
    if (cursor !== null) url.searchParams.set("cursor", cursor);
    const page = (await call(url.pathname + url.search)) as Page;
    if (!page.items) throw new CliError(EXIT.usage, `${url.pathname} isn't a list.`);
    for (const item of page.items) console.log(JSON.stringify(item));
    if (!page.next_cursor) return;
    cursor = page.next_cursor;
  }
}

/** JSON, `@file`, or `-` for stdin. */
async function bodyOf(data: string | undefined): Promise<string | undefined> {
  if (data === "-") return readStdin();
  return data?.startsWith("@") ? readFile(data.slice(1), "utf8") : data;
}
