import type { Metadata } from "next";
import Link from "next/link";
import { QueryProvider } from "#components/kit/query-provider.tsx";
import { ENTRANCE_LINK, Entrance } from "#components/sign-in/entrance.tsx";
import { ResetForm } from "#components/sign-in/reset-form.tsx";
import { PASSWORD } from "#lib/accounts/contract.ts";

export const metadata: Metadata = { title: "Set a new password", referrer: "no-referrer" };

export default function ResetPage() {
  return (
    <Entrance
      title="Set a new password"
      intro="It signs you out everywhere you're signed in."
      below={
        <Link href="/sign-in/forgot" className={ENTRANCE_LINK}>
          Request another link
        </Link>
      }
    >
      <QueryProvider>
        <ResetForm min={PASSWORD.min} />
      </QueryProvider>
    </Entrance>
  );
}
