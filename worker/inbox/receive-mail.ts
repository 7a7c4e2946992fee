import { Readable } from "node:stream";
import type { JobHelpers } from "graphile-worker";
import { globMatches } from "#lib/connections/file-glob.ts";
import { refusalOf } from "#lib/connections/refusal.ts";
import { isPlainName, type Remote } from "#lib/connections/remote/remote.ts";
import { RemoteError } from "#lib/connections/remote/remote-error.ts";
import { fetchFile } from "../connections/fetch-file.ts";
import { beginFetch, FetchQueries, type Outcome } from "../connections/queries.ts";
import { piecesOf } from "./mail-attachments.ts";
import { isAllowed, MailDelay, MailRefusal, type VerifiedMail } from "./verified-mail.ts";

type Query = JobHelpers["query"];

/** The connection that an address belongs to. */
export type Inbox = { tenant_id: string; connection_id: string; allowed_senders: string[] };

/** @returns null for an address that no active connection has */
export async function findInbox(query: Query, address: string): Promise<Inbox | null> {
  const { rows } = await query<{ inbox: Inbox | null }>("select private.find_inbox($1) as inbox", [
    address.toLowerCase(),
  ]);
  return rows[0]?.inbox ?? null;
}

/**
 * Queues the imports of a mail's attachments. A file that can't be imported is listed with the
 * connection; the mail counts as received.
 * @throws MailRefusal if its sender isn't allowed, and refusals of the database
 */
export async function receiveMail(
  query: Query,
  inbox: Inbox,
  { from, checks, attachments }: VerifiedMail,
): Promise<void> {
  if (!isAllowed(from, inbox.allowed_senders))
    throw new MailRefusal("This address takes no mail from this sender.");
  const settings = await beginFetch(query, inbox.tenant_id, inbox.connection_id, false);
  if (!settings) throw new MailRefusal("This address takes no mail now.");
  const queries = new FetchQueries(query, inbox.tenant_id, settings);
  const outcome: Outcome = { found: 0, error: null, needs_person: false };
  for (const [index, { name, content }] of attachments.entries()) {
    const path = name && isPlainName(name) ? name : `attachment-${index + 1}`;
    if (!globMatches(path, settings.file_glob)) continue;
    const file = { path, bytes: content.length, modified_at: null, sender: from, checks };
    await fetchFile(queries, settings, attachmentRemote(content), file, outcome);
  }
  await queries.end(outcome);
}

/**
 * Whether the same mail may be accepted later: another mail is being received, there is no space,
 * or DNS doesn't answer.
 */
export function isRetryable(error: unknown): boolean {
  return error instanceof MailDelay || refusalOf(error) !== null;
}

/** Presents an attachment as a server with a single file. */
function attachmentRemote(content: Buffer): Remote {
  const refuse = async () => {
    throw new RemoteError("A mail can't be changed.", true);
  };
  return {
    list: async () => [],
    read: async () => Readable.from(piecesOf(content)),
    move: refuse,
    remove: refuse,
    write: refuse,
    close: async () => {},
  };
}
