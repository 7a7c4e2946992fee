import { parseArgs } from "node:util";
import { SignJWT } from "jose";
import { stackEnvironment } from "../supervisor/stack-file.ts";
import { fail } from "./fail.ts";

const USAGE =
  "Usage: npm run -s token -- --tenant acme --role tenant_admin [--role tenant_lead] --user " +
  "ada [--ttl 12h]";

const { tenant, role, user, ttl } = readOptions();
if (!tenant || !role || !user) fail(USAGE);

const { AUTH_JWT_SECRET, AUTH_JWT_ISSUER, AUTH_JWT_AUDIENCE } = stackEnvironment();
if (!AUTH_JWT_SECRET)
  fail("No stack is running on DATA_DIR. Run npm start first, or set AUTH_JWT_SECRET.");

const token = new SignJWT({ preferred_username: user, tenants: { [tenant]: role } })
  .setProtectedHeader({ alg: "HS256", typ: "JWT" })
  .setSubject(user)
  .setIssuedAt()
  .setExpirationTime(ttl);
if (AUTH_JWT_ISSUER) token.setIssuer(AUTH_JWT_ISSUER);
if (AUTH_JWT_AUDIENCE) token.setAudience(AUTH_JWT_AUDIENCE);
console.log(await token.sign(new TextEncoder().encode(AUTH_JWT_SECRET)));

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        tenant: { type: "string" },
        role: { type: "string", multiple: true },
        user: { type: "string" },
        ttl: { type: "string", default: "12h" },
      },
    });
    return values;
  } catch (error) {
    fail(`${(error as Error).message}\n${USAGE}`);
  }
}
