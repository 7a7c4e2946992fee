import { BlockedAddress } from "./connector.ts";

type Fault = { failure_kind: "timeout" | "connection_failed" | "blocked_address"; detail: string };

const TIMEOUTS = new Set(["TimeoutError", "UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"]);

const SENTENCES: Record<string, string> = {
  ECONNREFUSED: "The receiver refused the connection.",
  ECONNRESET: "The receiver closed the connection before responding.",
  EPIPE: "The receiver closed the connection before responding.",
  UND_ERR_SOCKET: "The receiver closed the connection before responding.",
  ENOTFOUND: "The host name doesn't resolve to an address.",
  EAI_AGAIN: "The DNS lookup failed.",
  EHOSTUNREACH: "The receiver's address is unreachable.",
  ENETUNREACH: "The receiver's address is unreachable.",
  EADDRNOTAVAIL: "The receiver's address is unreachable.",
  UND_ERR_HEADERS_OVERFLOW: "The response headers are too large.",
  CERT_HAS_EXPIRED: "The receiver's certificate has expired.",
  CERT_NOT_YET_VALID: "The receiver's certificate isn't valid yet.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The receiver's certificate is self-signed.",
  SELF_SIGNED_CERT_IN_CHAIN: "The receiver's certificate chain is self-signed.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "The receiver's certificate chain is incomplete.",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "The receiver's certificate has an unknown issuer.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The receiver's certificate is for another host name.",
};

/**
 * Explains an attempt without a response. It only uses our own sentences, since an error's text may
 * reveal our internal network.
 */
export function failureOf(error: unknown): Fault {
  for (const cause of causesOf(error)) {
    if (cause instanceof BlockedAddress)
      return { failure_kind: "blocked_address", detail: `Not sent: ${cause.message}` };
    if (TIMEOUTS.has(cause.name) || TIMEOUTS.has(codeOf(cause))) {
      return { failure_kind: "timeout", detail: "The receiver didn't respond within 15 s." };
    }
  }
  if (causesOf(error).some(isMalformed))
    return {
      failure_kind: "connection_failed",
      detail: "The receiver's response is malformed HTTP.",
    };
  const codes = causesOf(error).map(codeOf);
  const knownCode = codes.find((code) => code in SENTENCES);
  return {
    failure_kind: "connection_failed",
    detail: knownCode ? (SENTENCES[knownCode] ?? "") : describe(codes[0] ?? ""),
  };
}

function describe(code: string): string {
  if (code.startsWith("ERR_SSL") || code === "EPROTO")
    return "The receiver doesn't support a compatible TLS version.";
  return "The connection to the receiver failed.";
}

/** The receiver was reached, but its response can't be parsed. */
function isMalformed({ name, message, ...error }: Error & { code?: unknown }): boolean {
  const code = String(error.code ?? "");
  return (
    name === "HTTPParserError" ||
    code.startsWith("HPE_") ||
    code === "UND_ERR_HTTP_PARSER" ||
    code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH" ||
    (code === "UND_ERR_SOCKET" && /^bad (?:response|upgrade)/.test(message))
  );
}

/** An error, its causes, and the errors that it aggregates. */
function causesOf(error: unknown): Error[] {
  if (!(error instanceof Error)) return [];
  const aggregated = error instanceof AggregateError ? error.errors : [];
  return [error, ...[error.cause, ...aggregated].flatMap(causesOf)];
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}
