import { env } from "../runtime/env.ts";
import { receiverFault } from "../webhooks/receiver-address.ts";
import { invalidRequest } from "../wire/errors.ts";

const SSH_PORT = "22";

/**
 * The address as an https URL, whose parser normalises every notation of a host. An sftp address
 * gets SSH's port unless it names one.
 */
export function addressUrl(address: string): URL {
  const isSftp = address.startsWith("sftp:");
  const url = new URL(isSftp ? address.replace(/^sftp:/, "https:") : address);
  // The parser drops the default port of https, which SSH may use.
  const namesPort443 = /^sftp:\/\/[^/?#]*:443(?:[/?#]|$)/.test(address);
  if (isSftp && url.port === "" && !namesPort443) url.port = SSH_PORT;
  return url;
}

/** Why nothing may be fetched from an address, judged by its text alone; null if it may. */
export function addressFault(address: string, allowHosts: ReadonlySet<string>): string | null {
  const url = addressUrl(address);
  if (address.startsWith("sftp:") && url.port === SSH_PORT) url.port = "";
  const message = receiverFault(url, allowHosts);
  return message?.startsWith("Use https")
    ? "Use https: files aren't fetched unencrypted."
    : message;
}

/**
 * @returns the address, normalised
 * @throws ApiError 400 if nothing may be fetched from it. The IP addresses of its host are checked
 * when connecting.
 */
export function requireAddress(address: string): string {
  const message = faultOf(address) ?? addressFault(address, env().WEBHOOK_ALLOW_HOSTS);
  if (message !== null) throw invalidRequest([{ path: "address", message }]);
  const { host, pathname, search, protocol } = addressUrl(address);
  if (!address.startsWith("sftp:")) return `${protocol}//${host}${pathname}${search}`;
  return `sftp://${host.replace(/:22$/, "")}${pathname}`;
}

function faultOf(address: string): string | null {
  if (!/^(?:sftp|https?):\/\//.test(address) || !URL.canParse(address.replace(/^sftp/, "https")))
    return "Give a complete address, such as sftp://sftp.bank.example/outgoing.";
  const { username, password, hash, search, pathname } = addressUrl(address);
  if (username !== "" || password !== "")
    return "Leave the user and the password out: user_name and credential have them.";
  if (!isPlainPath(pathname)) return "The path of the address has characters that no path has.";
  if (hash !== "" || (address.startsWith("sftp:") && search !== ""))
    return "Leave out what follows # or ?.";
  return null;
}

function isPlainPath(pathname: string): boolean {
  try {
    return !/\p{Cc}/u.test(decodeURIComponent(pathname));
  } catch {
    return false;
  }
}
