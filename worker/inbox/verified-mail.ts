import { resolve } from "node:dns/promises";
import { Readable } from "node:stream";
import { type AuthenticateResult, authenticate, type DNSResolver } from "mailauth";
import type { SenderChecks } from "#lib/connections/contract.ts";
import { type Attachment, attachmentsOf, piecesOf } from "./mail-attachments.ts";

/** The SMTP client's statements about itself and the mail. */
export type Envelope = { ip: string; helo: string; sender: string };

export type VerifiedMail = {
  /** The one address in From, in lower case. */
  from: string;
  checks: SenderChecks;
  attachments: Attachment[];
};

/** The mail can't be accepted; the message is for its sender. */
export class MailRefusal extends Error {}

/** It isn't known yet whether the mail can be accepted; its sender should retry. */
export class MailDelay extends Error {}

/**
 * Verifies the sender of a mail, then reads it: a signature (DKIM) or the sending server (SPF) must
 * prove the domain in From, because anyone can write a From.
 * @throws MailRefusal; MailDelay if DNS doesn't answer, so that the domain can't be proved
 */
export async function verifiedMail(
  raw: Buffer,
  envelope: Envelope,
  resolver: DNSResolver = (domain, type) => resolve(domain, type) as Promise<string[]>,
): Promise<VerifiedMail> {
  const found = await authenticate(Readable.from(piecesOf(raw)), {
    ...envelope,
    resolver,
    disableArc: true,
    disableBimi: true,
    rejectRsaSha1: true,
  });
  const { fromFields, headerFrom } = found.dkim;
  const from = headerFrom[0]?.toLowerCase();
  if (!from || headerFrom.length !== 1 || fromFields !== 1)
    throw new MailRefusal("The mail must have exactly one From, with one address.");
  if (!provesDomain(found, domainOf(from))) {
    if (isUnanswered(found)) throw new MailDelay("DNS doesn't answer.");
    throw new MailRefusal(
      `Neither DKIM nor SPF proves that the mail comes from ${domainOf(from)}.`,
    );
  }
  return {
    from,
    checks: {
      dkim:
        found.dkim.results.find(({ status }) => status.result === "pass")?.signingDomain ?? null,
      spf: found.spf ? found.spf.status.result : "none",
      dmarc: found.dmarc ? found.dmarc.status.result : "none",
    },
    attachments: await attachmentsOf(raw).catch(() => {
      throw new MailRefusal("The mail can't be read.");
    }),
  };
}

/**
 * Whether DMARC passes. If the domain has no policy: whether it or a parent domain signed the whole
 * mail (DKIM), or SPF passes for it, a parent domain or a subdomain.
 */
function provesDomain({ dkim, spf, dmarc }: AuthenticateResult, domain: string): boolean {
  const isWhole = dkim.results.every(
    ({ status }) => status.result !== "pass" || !status.underSized,
  );
  if (dmarc && dmarc.status.result !== "none")
    return dmarc.status.result === "pass" && (isWhole || Boolean(dmarc.alignment.spf.result));
  const isSigned = dkim.results.some(
    ({ status, signingDomain }) =>
      status.result === "pass" && !status.underSized && isSameOrParent(signingDomain, domain),
  );
  return (
    isSigned || (spf !== false && spf.status.result === "pass" && isRelated(spf.domain, domain))
  );
}

function isUnanswered({ dkim, spf, dmarc }: AuthenticateResult): boolean {
  const checks = [...dkim.results, ...(spf ? [spf] : []), ...(dmarc ? [dmarc] : [])];
  return checks.some(({ status }) => status.result === "temperror");
}

function isRelated(first: string, second: string): boolean {
  return isSameOrParent(first, second) || isSameOrParent(second, first);
}

function isSameOrParent(parent: string | undefined, domain: string): boolean {
  return Boolean(parent?.includes(".")) && `.${domain}`.endsWith(`.${parent?.toLowerCase()}`);
}

/** Whether an address is on a list of addresses and of domains, which begin with @. */
export function isAllowed(from: string, allowedSenders: readonly string[]): boolean {
  return allowedSenders.some((sender) => {
    const allowed = sender.toLowerCase();
    return allowed === from || (allowed.startsWith("@") && from.endsWith(allowed));
  });
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}
