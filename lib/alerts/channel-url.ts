import { rowSealer } from "../runtime/seal.ts";
import { requireReceiver } from "../webhooks/require-receiver.ts";

const SHOWN = 4;
/** The last characters of a shorter path would reveal most of the secret. */
const MIN_HIDDEN = 12;

export type SealedUrl = { url_id: string; sealed: string; url_hint: string };

const urls = rowSealer("alert-channel", "acu");
export const { unseal: unsealUrl, reseal: resealUrl } = urls;

/** @throws ApiError 400 if the URL may not receive messages */
export function sealUrl(url: string, tenantId: string): SealedUrl {
  requireReceiver(url);
  const { id, sealed } = urls.seal(url, tenantId);
  return { url_id: id, sealed, url_hint: hintOf(url) };
}

function hintOf(url: string): string {
  const { host, pathname, search } = new URL(url);
  const secret = pathname + search;
  return `${host}/…${secret.length >= MIN_HIDDEN + SHOWN ? secret.slice(-SHOWN) : ""}`;
}
