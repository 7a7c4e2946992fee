import { Export, TieoutError } from "../../../typescript/src/index.ts";
import { keyIn, type Request, type Send } from "../../../typescript/src/request.ts";
import { connect, type GlobalOptions } from "../connection.ts";
import { CliError, EXIT } from "../failure.ts";
import { fileOf, textOf } from "../input.ts";
import { write } from "../output.ts";
import { saveAs } from "../save.ts";

type ApiOptions = GlobalOptions & {
  data?: string;
  type?: string;
  paginate?: boolean;
  output?: string;
  include?: boolean;
  idempotencyKey?: string;
  ifMatch?: string;
  auditReason?: string;
};
const DEADLINE_MS = 60_000;
type Page = { items?: unknown[]; next_cursor?: string | null };

/** Any call, with the profile's credential. Prints the response, or with --paginate all items. */
export async function callApi(method: string, path: string, options: ApiOptions): Promise<void> {
  if (!path.startsWith("/v1/")) throw new CliError(EXIT.usage, "The path begins with /v1/.");
  if (method === "GET" && options.data !== undefined)
    throw new CliError(EXIT.usage, "GET takes no --data. Filters are part of the path.");
  if (options.output !== undefined && options.paginate)
    throw new CliError(EXIT.usage, "--output saves one response: leave out --paginate.");
  if (options.include && (options.paginate || options.json))
    throw new CliError(
      EXIT.usage,
      "--include prints one response as text: leave out --paginate and --json.",
    );
  const file = await bodyOf(options);
  const send = await senderOf(options);
  const requestOf = (target: string): Request => ({
    method,
    path: target,
    file,
    keyed: method === "POST",
    options: {
      contentType: options.type ?? "application/json",
      idempotencyKey: options.idempotencyKey ?? (options.type ? undefined : keyInText(file)),
      ifMatch: options.ifMatch,
      auditReason: options.auditReason,
      deadlineMs: options.type ? undefined : DEADLINE_MS,
    },
  });
  const call = async (target: string): Promise<unknown> => {
    const { data = null } = await send(requestOf(target)).catch(refuseFile);
    return data;
  };
  if (options.output !== undefined) {
    const open = async () => (await send({ ...requestOf(path), isExport: true })).response;
    await saveAs(options, options.output, new Export(open).bytes());
    return;
  }
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

/** With --include, the head of a response is printed before its body, also if the call fails. */
async function senderOf(options: ApiOptions): Promise<Send> {
  if (!options.include) return (await connect(options)).send;
  let latest: Response | undefined;
  const keepLatest: typeof fetch = async (...args) => {
    latest = undefined;
    latest = await fetch(...args);
    return latest;
  };
  const { send } = await connect({ ...options, fetch: keepLatest });
  return (request) =>
    send(request).finally(() => {
      if (latest) console.log(headOf(latest));
    });
}

/** The status line and the headers. Fetch doesn't give the version of HTTP. */
function headOf({ status, statusText, headers }: Response): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  return [`HTTP ${status} ${statusText}`.trimEnd(), ...lines, ""].join("\n");
}

/** JSON, `@file`, or `-` for stdin. A file of another type is sent as its bytes. */
async function bodyOf({ data, type }: ApiOptions): Promise<string | File | undefined> {
  const path = data === "-" ? data : data?.startsWith("@") && data.slice(1);
  if (!path) return data;
  // Parsing the text would change large numbers.
  return type ? fileOf(path) : textOf(path);
}

/** The idempotency key in a body that is sent unparsed. */
function keyInText(body: string | File | undefined): string | undefined {
  try {
    return keyIn(JSON.parse(body as string));
  } catch {
    return undefined;
  }
}

function refuseFile(error: unknown): never {
  const isFile =
    error instanceof TieoutError && error.code === "unexpected_response" && error.status === 200;
  throw isFile
    ? new CliError(EXIT.usage, "The response is no JSON. If it is a file, save it with --output.")
    : error;
}
