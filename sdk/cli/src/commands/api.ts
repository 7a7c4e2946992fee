import { connect, type GlobalOptions } from "../connection.ts";
import { CliError, EXIT } from "../failure.ts";
import { textOf } from "../input.ts";
import { write } from "../output.ts";

type ApiOptions = GlobalOptions & { data?: string; paginate?: boolean; idempotencyKey?: string };
const DEADLINE_MS = 60_000;
type Page = { items?: unknown[]; next_cursor?: string | null };

/** Any call, with the profile's credential. Prints the response, or with --paginate all items. */
export async function callApi(method: string, path: string, options: ApiOptions): Promise<void> {
  if (!path.startsWith("/v1/")) throw new CliError(EXIT.usage, "The path begins with /v1/.");
  if (method === "GET" && options.data !== undefined)
    throw new CliError(EXIT.usage, "GET takes no --data. Filters are part of the path.");
  // Parsing the text would change large numbers.
  const file = await bodyOf(options.data);
  const { send } = await connect(options);
  const call = async (target: string): Promise<unknown> => {
    const { data = null } = await send({
      method,
      path: target,
      file,
      keyed: method === "POST",
      options: {
        contentType: "application/json",
        idempotencyKey: options.idempotencyKey,
        deadlineMs: DEADLINE_MS,
      },
    });
    return data;
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
    for (const item of page.items) await write(`${JSON.stringify(item)}\n`);
    if (!page.next_cursor) return;
    cursor = page.next_cursor;
  }
}

/** JSON, `@file`, or `-` for stdin. */
async function bodyOf(data: string | undefined): Promise<string | undefined> {
  const path = data === "-" ? data : data?.startsWith("@") && data.slice(1);
  return path ? textOf(path) : data;
}
