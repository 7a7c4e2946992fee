import { randomUUID } from "node:crypto";
import { seal, unseal } from "../runtime/seal.ts";
import { requireReceiver } from "../webhooks/require-receiver.ts";

const SHOWN = 4;
/** The last characters of a shorter path would reveal most of the secret. */
const MIN_HIDDEN = 12;

export type SealedUrl = { url_id: string; sealed: string; url_hint: string };

/**
 * Encrypts a channel's URL for one tenant and one row, so that the database never sees it. @throws
 * ApiError 400 if the URL may not receive messages
 */
export function sealUrl(url: string, tenantId: string): SealedUrl {
  requireReceiver(url);
  const url_id = `acu_${randomUUID().replaceAll("-", "")}`;
  return { url_id, sealed: seal(url, bindingOf(tenantId, url_id)), url_hint: hintOf(url) };
}

/** @throws Error if none of the server's keys fits. */
export function unsealUrl(sealed: string, tenantId: string, urlId: string): string {
  return unseal(sealed, bindingOf(tenantId, urlId));
}

function hintOf(url: string): string {
  const { host, pathname, search } = new URL(url);
  const secret = pathname + search;
  return `${host}/…${secret.length >= MIN_HIDDEN + SHOWN ? secret.slice(-SHOWN) : ""}`;
}

function bindingOf(tenantId: string, urlId: string): string {
  return `alert-channel\n${tenantId}\n${urlId}`;
}
