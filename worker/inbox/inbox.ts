import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import type { DNSResolver } from "mailauth";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import { RetryingPool } from "#lib/background/retrying-pool.ts";
import type { Service } from "#lib/background/service.ts";
import type { InboxVariables } from "#lib/runtime/env.ts";
import { log } from "#lib/runtime/log.ts";
import { TenantLimiter } from "#lib/runtime/tenant-limiter.ts";
import { mailContent } from "./mail-content.ts";
import { findInbox, type Inbox, isRetryable, receiveMail } from "./receive-mail.ts";
import { MailRefusal, verifiedMail } from "./verified-mail.ts";

/** The common size limit of mail servers. */
const MAIL_MAX_BYTES = 35 * 1024 ** 2;
const MAX_CLIENTS = 50;
const MAX_RECIPIENTS = 5;
/** The content and the decoded attachments of each of these mails are in memory. */
const MAX_CONCURRENT_MAILS = 2;
const RECEIVE_TIMEOUT_MS = 120_000;
/** Shorter than the minute without data after which the server closes a connection. */
const WAIT_TIMEOUT_MS = 45_000;
const CLOSE_TIMEOUT_MS = 4_000;
const STATEMENT_TIMEOUT_MS = 60_000;

type Options = {
  connectionString: string;
  port: number;
  domain: string;
  tls?: { cert: Buffer; key: Buffer };
  resolver?: DNSResolver;
};

/** @returns null if this installation receives no mail */
export function inboxFrom(
  connectionString: string,
  { INBOX_DOMAIN: domain, INBOX_PORT: port, INBOX_TLS_CERT, INBOX_TLS_KEY }: InboxVariables,
): InboxServer | null {
  if (!domain || !port) return null;
  const tls = INBOX_TLS_CERT &&
    INBOX_TLS_KEY && { cert: readFileSync(INBOX_TLS_CERT), key: readFileSync(INBOX_TLS_KEY) };
  return new InboxServer({ connectionString, port, domain, ...(tls && { tls }) });
}

/**
 * Receives mail for the addresses of connections, by SMTP. A mail is acknowledged once the imports
 * of its attachments are queued; until then, its sender retries.
 */
export class InboxServer implements Service {
  readonly name = "inbox";
  /** Why the port couldn't be opened. An error of one client doesn't affect the server. */
  #portError: Error | null = null;
  readonly #pool: RetryingPool;
  readonly #server: SMTPServer;
  readonly #resolver: DNSResolver | undefined;
  readonly #limiter = new TenantLimiter({
    total: MAX_CONCURRENT_MAILS,
    waitTimeoutMs: WAIT_TIMEOUT_MS,
    kinds: { mail: { perTenant: 1, waiting: { max: MAX_CLIENTS, tooMany: "Try again later." } } },
  });
  readonly #inboxes = new WeakMap<SMTPServerSession["envelope"], Inbox[]>();

  constructor({ connectionString, port, domain, tls, resolver }: Options) {
    this.#resolver = resolver;
    this.#pool = new RetryingPool({
      connectionString,
      application_name: "inbox",
      query_timeout: STATEMENT_TIMEOUT_MS,
      max: MAX_CONCURRENT_MAILS + 1,
    });
    this.#pool.on("error", () => {});
    this.#server = new SMTPServer({
      name: domain,
      size: MAIL_MAX_BYTES,
      maxClients: MAX_CLIENTS,
      disabledCommands: tls ? ["AUTH"] : ["AUTH", "STARTTLS"],
      ...tls,
      disableReverseLookup: true,
      closeTimeout: CLOSE_TIMEOUT_MS,
      onRcptTo: ({ address }, { envelope }, done) =>
        void this.#accept(address, envelope).then(() => done(), done),
      onData: (stream, session, done) =>
        void this.#receive(stream, session).then(() => done(), done),
    });
    this.#server.on("error", (error) => this.#fail(error, port));
    this.#server.listen(port);
  }

  get healthy(): boolean {
    return this.#portError === null;
  }

  /** A new process may be able to open the port. */
  get stuck(): boolean {
    return this.#portError !== null;
  }

  /** The port in use, which differs from the configured one if that is 0. */
  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  /** Stops accepting mail; senders retry mails that weren't acknowledged. */
  async stop(): Promise<void> {
    await new Promise<void>((closed) => this.#server.close(closed));
    await this.#pool.end();
  }

  #fail(error: Error, port: number): void {
    if (this.#server.server.listening) {
      log.warn({ err: error }, "a mail client failed");
      return;
    }
    this.#portError = error;
    log.error({ err: error, port }, "INBOX_PORT can't be opened: choose a free one");
  }

  async #accept(address: string, envelope: SMTPServerSession["envelope"]): Promise<void> {
    const inboxes = this.#inboxes.get(envelope) ?? [];
    if (inboxes.length >= MAX_RECIPIENTS) throw response(452, "Too many recipients.");
    const inbox = await findInbox(this.#query, address).catch(() => {
      throw response(451, "Try again later.");
    });
    if (!inbox) throw response(550, "There is no such address.");
    this.#inboxes.set(envelope, [...inboxes, inbox]);
  }

  async #receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
    const inboxes = this.#inboxes.get(session.envelope) ?? [];
    try {
      await this.#limiter.run(inboxes[0]?.tenant_id ?? "", "mail", () =>
        this.#process(stream, session, inboxes),
      );
    } catch (error) {
      const isRefusal = error instanceof MailRefusal;
      if (!isRefusal && !isRetryable(error)) log.error({ err: error }, "a mail was not received");
      throw isRefusal
        ? response(550, error.message)
        : response(451, "Try again later: the mail was not received.");
    } finally {
      stream.resume();
    }
  }

  async #process(
    stream: SMTPServerDataStream,
    { envelope, remoteAddress, hostNameAppearsAs }: SMTPServerSession,
    inboxes: readonly Inbox[],
  ): Promise<void> {
    const bounds = { maxBytes: MAIL_MAX_BYTES, timeoutMs: RECEIVE_TIMEOUT_MS };
    const mail = await verifiedMail(
      await mailContent(stream, bounds),
      {
        ip: remoteAddress,
        helo: hostNameAppearsAs,
        sender: envelope.mailFrom ? envelope.mailFrom.address : "",
      },
      this.#resolver,
    );
    for (const inbox of inboxes) await receiveMail(this.#query, inbox, mail);
  }

  readonly #query = (text: string, values?: unknown[]) => this.#pool.query(text, values) as never;
}

function response(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
