/** What to say for an error code of next-auth. */
export function signInError(code: string): string {
  switch (code) {
    case "CredentialsSignin":
      return "The email or the password is not right.";
    case "AccessDenied":
      return "Your identity provider did not let you in. Ask its administrator for access to Tieout.";
    case "SecondFactorRequired":
      return "Tieout asks for a second factor here. Sign in with a provider that asks you for one.";
    case "Unavailable":
      return "Signing in is not possible right now. Try again in a moment.";
    case "SessionRequired":
      return "Your session has ended. Sign in again to go on.";
    default:
      return "Signing in did not work. Try again; if it keeps failing, ask your administrator.";
  }
}
