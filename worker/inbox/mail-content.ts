import type { Readable } from "node:stream";
import { MailRefusal } from "./verified-mail.ts";

/**
 * A mail's bytes. The SMTP server accepts mails of any size, so bytes beyond the limit are read and
 * dropped. After the timeout, a slow mail no longer uses memory.
 * @throws MailRefusal if it is larger than maxBytes; Error after timeoutMs
 */
export function mailContent(
  stream: Readable,
  { maxBytes, timeoutMs }: { maxBytes: number; timeoutMs: number },
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const parts: Buffer[] = [];
  let size = 0;
  const onData = (part: Buffer) => {
    size += part.length;
    if (size > maxBytes) parts.length = 0;
    else parts.push(part);
  };
  const timer = setTimeout(() => {
    stream.off("data", onData).resume();
    parts.length = 0;
    reject(new Error("The mail took too long to arrive."));
  }, timeoutMs);
  stream.on("data", onData).once("error", reject);
  stream.once("end", () =>
    size > maxBytes
      ? reject(new MailRefusal("The mail is too large."))
      : resolve(Buffer.concat(parts)),
  );
  return promise.finally(() => clearTimeout(timer));
}
