import NextAuth from "next-auth";
import { signInOptions } from "#lib/auth/sign-in.ts";
import { guardAuth } from "#lib/http/auth-request.ts";
import { onSessionRecord } from "#lib/security-events/session-events.ts";

const handler = guardAuth((request, rebuilt, context) =>
  onSessionRecord(request, rebuilt, () =>
    NextAuth(signInOptions(request.headers))(request, context),
  ),
);

export { handler as GET, handler as POST };
