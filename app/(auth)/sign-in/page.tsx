import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { SignInForm } from "#components/sign-in/sign-in-form.tsx";
import { Brand } from "#components/ui/brand.tsx";
import { callbackPath } from "#lib/auth/callback-path.ts";
import { currentUser } from "#lib/auth/page-context.ts";
import { env } from "#lib/runtime/env.ts";
import { oidcProviders } from "#lib/runtime/trust.ts";

export const metadata: Metadata = { title: "Sign in" };

export default async function SignInPage({ searchParams }: { searchParams: Promise<Record<string, string | string[] | undefined>> }) {
  const { callbackUrl, error } = await searchParams;
  const next = callbackPath(first(callbackUrl), new URL(env().NEXTAUTH_URL).origin);
  if (await currentUser()) redirect(next);
  return (
    <main id="content" className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center gap-8 px-4 py-12">
      <div className="flex flex-col items-center gap-2 text-center">
        <Brand className="text-xl" />
        <h1 className="text-base text-muted">Sign in to your reconciliations</h1>
      </div>
      <div className="rounded-lg border border-line bg-surface p-6 shadow-raised">
        <SignInForm callbackPath={next} providers={oidcProviders().map(({ id, name }) => ({ id, name }))} initialError={first(error)} />
      </div>
    </main>
  );
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
