import NextAuth from "next-auth";
import { signInOptions } from "#lib/auth/sign-in.ts";

function handler(request: Request, context: unknown) {
  return NextAuth(signInOptions())(request, context);
}

export { handler as GET, handler as POST };
