import { generateKeyPairSync } from "node:crypto";
import { createTransport, type SendMailOptions } from "nodemailer";

const SELECTOR = "tests";
const { privateKey, publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "der" },
});

/** The options with which nodemailer signs mail of a domain. */
export const signatureOf = (domainName: string) => ({
  domainName,
  keySelector: SELECTOR,
  privateKey,
});

/** A mail in raw form, signed by a domain if one is given. */
export async function rawMail(mail: SendMailOptions, signedBy?: string): Promise<Buffer> {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  const { message } = await transport.sendMail({
    ...mail,
    ...(signedBy && { dkim: signatureOf(signedBy) }),
  });
  return message as Buffer;
}

/**
 * A resolver in which every domain has the test's DKIM key, with additional records.
 * @param records by name, such as `_dmarc.bank.example`
 */
export function dnsOf(records: Record<string, string> = {}) {
  return async (name: string, type: string): Promise<string[][]> => {
    if (type === "TXT" && name.startsWith(`${SELECTOR}._domainkey.`))
      return [[`v=DKIM1; k=rsa; p=${publicKey.toString("base64")}`]];
    const record = records[name];
    if (type === "TXT" && record !== undefined) return [[record]];
    throw Object.assign(new Error("no such record"), { code: "ENOTFOUND" });
  };
}
