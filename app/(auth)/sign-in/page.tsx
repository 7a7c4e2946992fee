import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { ENTRANCE_LINK, Entrance } from "#components/sign-in/entrance.tsx";
import { SignInForm } from "#components/sign-in/sign-in-form.tsx";
import { Note } from "#components/ui/note.tsx";
import { callbackPath } from "#lib/auth/callback-path.ts";
import { currentUser } from "#lib/auth/page-context.ts";
import { oidcProviders } from "#lib/runtime/auth-config.ts";
import { env } from "#lib/runtime/env.ts";

export const metadata: Metadata = { title: "Sign in" };

export default async function SignInPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const { callbackUrl, error, notice } = await searchParams;
  const next = callbackPath(first(callbackUrl), new URL(env().NEXTAUTH_URL).origin);
  if (await currentUser()) redirect(next);
  return (
    <Entrance
      title="Sign in"
      below={
        <>
          No account? An admin of your tenant can invite you.{" "}
          <Link href="/docs" prefetch={false} className={ENTRANCE_LINK}>
            Documentation
          </Link>
        </>
      }
    >
      {first(notice) === "password-set" && (
        <Note tone="info">
          Your new password is set, and you're signed out everywhere. Sign in with it.
        </Note>
      )}
      <SignInForm
        callbackPath={next}
        providers={oidcProviders().map(({ id, name }) => ({ id, name }))}
        initialError={first(error)}
      />
    </Entrance>
  );
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
