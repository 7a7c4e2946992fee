import { PRODUCT } from "#lib/wire/product.ts";

/** The message for an error code of next-auth. */
export function signInError(code: string): string {
  switch (code) {
    case "CredentialsSignin":
      return "Incorrect email or password.";
    case "AccessDenied":
      return `Your identity provider denied access. Ask its administrator for access to ${PRODUCT}.`;
    case "SecondFactorRequired":
      return `${PRODUCT} requires a second factor. Sign in with a provider that asks for one.`;
    case "TooManyTries":
      return "Too many attempts. Wait a minute, then try again, or set a new password.";
    case "Unavailable":
      return "Sign-in is unavailable right now. Try again in a moment.";
    case "SessionRequired":
      return "Your session has ended. Sign in again to continue.";
    default:
      return "Couldn't sign you in. Try again, or contact your administrator.";
  }
}
