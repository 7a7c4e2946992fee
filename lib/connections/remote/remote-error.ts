import { failureOf } from "../../webhooks/delivery-failure.ts";

/**
 * Why a server couldn't be used, in a sentence for the tenant. `needsPerson`: a retry can't fix it.
 */
export class RemoteError extends Error {
  readonly needsPerson: boolean;

  constructor(message: string, needsPerson = false) {
    super(message);
    this.needsPerson = needsPerson;
  }
}

/** Explains a failed connection in our own words, since an error's text may reveal our network. */
export function remoteError(error: unknown): RemoteError {
  if (error instanceof RemoteError) return error;
  const { detail, failure_kind } = failureOf(error);
  const sentence = detail.replace("Not sent: ", "").replaceAll("receiver", "server");
  return new RemoteError(sentence, failure_kind === "blocked_address");
}
