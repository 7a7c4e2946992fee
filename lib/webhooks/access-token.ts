import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { Sender } from "./send.ts";

/** A token is requested and used within one lease of 23 s. */
const TIMEOUT_MS = 5_000;
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
  expires_in: z.coerce.number().positive().optional(),
});

/** No token was issued. The message says why, in our own words. */
export class TokenUnavailable extends Error {}

/** Requests tokens with client credentials, and caches them until they expire. */
export class AccessTokens {
  readonly #sender: Pick<Sender, "send">;
  readonly #known = new LRUCache<string, string>({ max: 1_000, ttl: 1 });

  constructor(sender: Pick<Sender, "send">) {
    this.#sender = sender;
  }

  /** @throws TokenUnavailable, and what `stop` was aborted with */
  async get(client: Client, stop: AbortSignal): Promise<string> {
    const key = keyOf(client);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { access_token, expires_in = LIFETIME_DEFAULT_SECONDS } = await this.#fetch(client, stop);
    const seconds = Math.min(expires_in, LIFETIME_MAX_SECONDS) - MARGIN_SECONDS;
    if (seconds > 0) this.#known.set(key, access_token, { ttl: seconds * 1000 });
    return access_token;
  }

  /** The receiver refused the token, so the next attempt gets another. */
  forget(client: Client): void {
    this.#known.delete(keyOf(client));
  }

  async #fetch({ token_url, client_id, client_secret, scope }: Client, stop: AbortSignal) {
    const credentials = [client_id, client_secret].map(encodeURIComponent).join(":");
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
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
          throw new TokenUnavailable("The token endpoint didn't respond within 5 s.");
        throw error;
      });
    if ("failure_kind" in outcome)
      throw new TokenUnavailable(outcome.detail.replace("The receiver", "The token endpoint"));
    if (outcome.status_code !== 200)
      throw new TokenUnavailable(`The token endpoint responded with ${outcome.status_code}.`);
    const parsed = response.safeParse(jsonOf(outcome.response_body));
    if (!parsed.success)
      throw new TokenUnavailable("The token endpoint's response has no bearer token.");
    return parsed.data;
  }
}

function keyOf({ id, token_url, client_id, scope }: Client): string {
  return JSON.stringify([id, token_url, client_id, scope]);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
