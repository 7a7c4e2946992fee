import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import type { MailVariables } from "#lib/runtime/env.ts";
import { htmlOf, type Message, subjectOf, textOf } from "./message.ts";

const CONNECT_TIMEOUT_MS = 10_000;
/**
 * Long enough for a slow server. A worker that stops doesn't wait that long; the job is retried.
 */
const RESPONSE_TIMEOUT_MS = 20_000;

export type Mailer = { send: (message: Message) => Promise<void> };

/**
 * A mailer that sends by SMTP if a server is configured, and otherwise writes files to a directory.
 * Without either, each mail fails with an explanation.
 */
export function mailerFor({ SMTP_URL, MAIL_FROM, MAIL_DIR, NEXTAUTH_URL }: MailVariables): Mailer {
  if (SMTP_URL !== undefined)
    return smtpMailer(SMTP_URL, MAIL_FROM, new URL(NEXTAUTH_URL).hostname);
  return MAIL_DIR === undefined ? unconfiguredMailer() : fileMailer(MAIL_DIR, MAIL_FROM);
}

function unconfiguredMailer(): Mailer {
  return {
    async send() {
      throw new Error("There is no way to send mail. Set SMTP_URL and MAIL_FROM for the worker.");
    },
  };
}

function smtpMailer(smtpUrl: string, from: string, host: string): Mailer {
  const { hostname, port, protocol, username, password } = new URL(smtpUrl);
  const secure = protocol === "smtps:";
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port) || (secure ? 465 : 587),
    secure,
    // The password is only sent over an encrypted connection.
    requireTLS: !secure && username !== "",
    ...(username !== "" && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: RESPONSE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(message) {
      const mail = {
        messageId: `<${message.id}@${host}>`,
        from,
        // An object, because a string would be parsed for further addresses.
        to: { name: "", address: message.to },
        subject: subjectOf(message),
        text: textOf(message),
        html: htmlOf(message),
        headers: { "Auto-Submitted": "auto-generated" },
      };
      await transport.sendMail(mail).catch((error: Fault) => {
        throw new Error(`${unsentReason(error)} The server at ${hostname} said: ${error.message}`, {
          cause: error,
        });
      });
    },
  };
}

type Fault = Error & { code?: string; responseCode?: number };

/** What an operator can do about an error, by nodemailer's codes (nodemailer/lib/errors.js). */
function unsentReason({ code, message }: Fault): string {
  if (code === "EAUTH") return "The mail server refused the user name or password of SMTP_URL.";
  if (code === "ETLS" || /certificate/.test(message))
    return "The connection couldn't be encrypted, so no password and no mail was sent over it.";
  if (code === "EENVELOPE")
    return "The mail server refused the sender or the recipient. Check MAIL_FROM.";
  return "The mail wasn't sent, and is tried again.";
}

/** Files are named by the message, so that a mail sent again after a crash replaces its file. */
function fileMailer(directory: string, from: string): Mailer {
  return {
    async send(message) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const head = `From: ${from}\nTo: ${message.to}\nSubject: ${subjectOf(message)}\nDate: ${new Date().toUTCString()}\n\n`;
      await writeAtomically(join(directory, `${message.id}.html`), htmlOf(message));
      await writeAtomically(join(directory, `${message.id}.txt`), head + textOf(message));
    },
  };
}

/** Writes the file atomically, because it may be read at once. */
async function writeAtomically(file: string, content: string): Promise<void> {
  await writeFile(`${file}.new`, content, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
