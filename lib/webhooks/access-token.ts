import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { Outcome, Sender } from "./send.ts";

/** A token is requested and used within one lease of 23 s. */
export const TOKEN_TIMEOUT_MS = 5_000;
const LIFETIME_DEFAULT_SECONDS = 300;
const LIFETIME_MAX_SECONDS = 3_600;
/** A token that expires sooner could expire in transit. */
const MARGIN_SECONDS = 30;

/** RFC 6749, 4.4. `id` changes with the secret. */
export type Client = {
  id: string;
  token_url: string;
  client_id: string;
  client_secret: string;
  scope?: string | undefined;
};

const response = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]{1,8000}$/),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.coerce.number().nonnegative().nullish(),
});

/** RFC 6749, 5.2. Other text of the endpoint isn't shown: it could contain the credentials. */
const refusal = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/) });

type FailureKind = Extract<Outcome, { failure_kind: unknown }>["failure_kind"];

/** No token was issued. The message says why, in our own words. */
export class TokenUnavailable extends Error {
  readonly failureKind: FailureKind;

  constructor(message: string, failureKind: FailureKind = "connection_failed") {
    super(message);
    this.failureKind = failureKind;
  }
}

/**
 * Requests tokens with client credentials, and caches them until they expire. Deliveries that start
 * together share one request: token endpoints limit and bill them.
 */
export class AccessTokens {
  readonly #sender: Pick<Sender, "send">;
  readonly #cached = new LRUCache<string, string>({ max: 1_000, ttl: 1 });
  readonly #requested = new Map<string, Promise<string>>();

  constructor(sender: Pick<Sender, "send">) {
    this.#sender = sender;
  }

  /** @throws TokenUnavailable, or the reason that `stop` was aborted with */
  async get(client: Client, stop: AbortSignal): Promise<string> {
    const key = keyOf(client);
    const existing = this.#cached.get(key) ?? this.#requested.get(key);
    if (existing !== undefined) return existing;
    const requested = this.#issue(key, client, stop).finally(() => this.#requested.delete(key));
    this.#requested.set(key, requested);
    return requested;
  }

  async #issue(key: string, client: Client, stop: AbortSignal): Promise<string> {
    const { access_token, expires_in } = await this.#fetch(client, stop);
    const lifetime = expires_in ?? LIFETIME_DEFAULT_SECONDS;
    const seconds = Math.min(lifetime, LIFETIME_MAX_SECONDS) - MARGIN_SECONDS;
    if (seconds > 0) this.#cached.set(key, access_token, { ttl: seconds * 1000 });
    return access_token;
  }

  /**
   * The receiver refused this token, so the next attempt gets another, unless another delivery has
   * renewed it in the meantime.
   */
  forget(client: Client, token: string): void {
    const key = keyOf(client);
    if (this.#cached.peek(key) === token) this.#cached.delete(key);
  }

  async #fetch({ token_url, client_id, client_secret, scope }: Client, stop: AbortSignal) {
    const credentials = [client_id, client_secret].map(encodeURIComponent).join(":");
    const timeout = AbortSignal.timeout(TOKEN_TIMEOUT_MS);
    const outcome = await this.#sender
      .send(
        {
          url: token_url,
          body: new URLSearchParams({
            grant_type: "client_credentials",
            ...(scope && { scope }),
          }).toString(),
          headers: {
            "content-type": "application/x-www-form-urlencoded",
            accept: "application/json",
            authorization: `Basic ${Buffer.from(credentials).toString("base64")}`,
          },
        },
        AbortSignal.any([stop, timeout]),
      )
      .catch((error) => {
        stop.throwIfAborted();
        if (timeout.aborted)
          throw new TokenUnavailable("The token endpoint didn't respond within 5 s.", "timeout");
        throw error;
      });
    if ("failure_kind" in outcome)
      throw new TokenUnavailable(
        outcome.detail.replace("The receiver", "The token endpoint"),
        outcome.failure_kind,
      );
    if (outcome.status_code !== 200) throw new TokenUnavailable(describe(outcome));
    const parsed = response.safeParse(jsonOf(outcome.response_body));
    if (!parsed.success)
      throw new TokenUnavailable("The token endpoint's response has no bearer token.");
    return parsed.data;
  }
}

function keyOf({ id, token_url, client_id, scope }: Client): string {
  return JSON.stringify([id, token_url, client_id, scope]);
}

function describe(response: { status_code: number; response_body: string }): string {
  const { data } = refusal.safeParse(jsonOf(response.response_body));
  const reason = data ? ` and ${data.error}` : "";
  return `The token endpoint responded with ${response.status_code}${reason}.`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
