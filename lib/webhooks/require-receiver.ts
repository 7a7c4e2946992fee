import { env } from "../runtime/env.ts";
import { invalidRequest } from "../wire/errors.ts";
import { receiverFault } from "./receiver-address.ts";

/**
 * @throws ApiError 400 if nothing may be sent to the URL. The IP addresses of its host are checked
 * when connecting.
 */
export function requireReceiver(url: string, path = "url"): void {
  const message = receiverFault(new URL(url), env().WEBHOOK_ALLOW_HOSTS);
  if (message !== null) throw invalidRequest([{ path, message }]);
}
