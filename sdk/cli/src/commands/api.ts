import { readFile } from "node:fs/promises";
import { connect, type GlobalOptions } from "../connection.ts";
import { CliError, EXIT } from "../failure.ts";
import { readStdin } from "../output.ts";

type ApiOptions = GlobalOptions & { data?: string; paginate?: boolean; idempotencyKey?: string };
const DEADLINE_MS = 60_000;
type Page = { items?: unknown[]; next_cursor?: string | null };

/** Any call, with the profile's credential. Prints the response, or with --paginate all items. */
export async function callApi(method: string, path: string, options: ApiOptions): Promise<void> {
  if (!path.startsWith("/v1/")) throw new CliError(EXIT.usage, "The path begins with /v1/.");
  const { send } = await connect(options);
  const verb = method.toUpperCase();
  // Parsing the text would change large numbers.
  const file = await bodyOf(options.data);
  const call = async (target: string): Promise<unknown> => {
    const { data = null } = await send({
      method: verb,
      path: target,
      file,
      keyed: verb === "POST",
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
