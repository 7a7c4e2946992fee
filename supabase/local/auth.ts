import { App } from "@supabase/lite";
import { decodeJwt, type JWTPayload, SignJWT } from "jose";
import { exclusiveConnection } from "./exclusive-connections.ts";

export type AuthOptions = {
  /** Connects as `supabase_auth_admin`, which owns the auth schema. */
  authAdminUrl: string;
  issuer: string;
  jwtSecret: string;
  publishableKey: string;
  secretKey: string;
};

const POOL_SIZE = 5;
const SESSION_SECONDS = 3600;

/** Sign-in only: users of the local stack are made by the seed, and nothing here sends mail. */
export async function authApp(options: AuthOptions) {
  const connection = exclusiveConnection({ url: options.authAdminUrl, size: POOL_SIZE });
  const app = new App({
    connection,
    api: { enabled: false },
    auth: {
      enabled: true,
      enable_signup: false,
      jwt_secret: options.jwtSecret,
      jwt_expiry: SESSION_SECONDS,
      publishable_key: options.publishableKey,
      secret_key: options.secretKey,
    },
    db: { migrations: { enabled: false } },
    studio: { enabled: false },
    options: {
      server: { admin: false, disableStudio: true, disableFallback: true },
      drivers: { email: { send: async () => {} } },
    },
  });
  await app.init();
  return { fetch: async (request: Request) => withHostedClaims(await app.fetch(request), options) };
}

type Session = {
  access_token: string;
  user: { app_metadata: object; user_metadata: object; phone?: string; is_anonymous?: boolean };
};

/** lite's access tokens lack claims that the hosted platform's carry, `app_metadata` among them. */
async function withHostedClaims(
  response: Response,
  { issuer, jwtSecret }: AuthOptions,
): Promise<Response> {
  if (!response.ok || !response.headers.get("content-type")?.startsWith("application/json"))
    return response;
  const body = (await response.clone().json()) as Partial<Session> | null;
  if (!body?.access_token || !body.user) return response;
  const { app_metadata, user_metadata, phone = "", is_anonymous = false } = body.user;
  const claims: JWTPayload = decodeJwt(body.access_token);
  const amr = [{ method: "password", timestamp: claims.iat }];
  const access_token = await new SignJWT({
    ...claims,
    iss: issuer,
    phone,
    app_metadata,
    user_metadata,
    aal: "aal1",
    amr,
    is_anonymous,
  })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .sign(new TextEncoder().encode(jwtSecret));
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  return Response.json({ ...body, access_token }, { status: response.status, headers });
}
