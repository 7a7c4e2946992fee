import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { stackEnvironment } from "../supervisor/stack-file.ts";
import { until } from "./until.ts";

export type Mail = { to: string; subject: string; text: string; html: string };

/** The mails that the stack under test wrote to an address, oldest first. */
export function mailsTo(address: string): Mail[] {
  const directory = join(stackEnvironment().DATA_DIR ?? ".data", "mail");
  return filesOf(directory)
    .map((name) => ({
      name,
      at: statSync(join(directory, name)).mtimeMs,
      text: readFileSync(join(directory, name), "utf8"),
    }))
    .filter(({ text }) => headerOf(text, "To") === address)
    .sort((left, right) => left.at - right.at)
    .map(({ name, text }) => ({
      to: address,
      subject: headerOf(text, "Subject"),
      text,
      html: readFileSync(join(directory, name.replace(/\.txt$/, ".html")), "utf8"),
    }));
}

/** The n-th mail to an address, waiting for it if necessary. */
export async function mailTo(address: string, nth = 1): Promise<Mail> {
  await until(`mail ${nth} to ${address}`, async () => mailsTo(address).length >= nth);
  return mailsTo(address)[nth - 1] as Mail;
}

/** The link in a mail and its token. */
export function linkIn({ text }: Mail): { url: string; token: string } {
  const [url = "", token = ""] = /https?:\/\/\S+#([\w-]{43})\b/.exec(text) ?? [];
  return { url, token };
}

function filesOf(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith(".txt"));
  } catch {
    return [];
  }
}

function headerOf(text: string, name: string): string {
  return new RegExp(`^${name}: (.*)$`, "m").exec(text)?.[1] ?? "";
}
