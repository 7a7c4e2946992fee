import type { Metadata } from "next";
import Link from "next/link";
import { QueryProvider } from "#components/kit/query-provider.tsx";
import { ENTRANCE_LINK, Entrance } from "#components/sign-in/entrance.tsx";
import { ForgotForm } from "#components/sign-in/forgot-form.tsx";

export const metadata: Metadata = { title: "Forgot your password?" };

export default function ForgotPage() {
  return (
    <Entrance
      title="Forgot your password?"
      intro="Enter the address you sign in with. We'll mail you a link to set a new password."
      below={
        <Link href="/sign-in" className={ENTRANCE_LINK}>
          Back to sign-in
        </Link>
      }
    >
      <QueryProvider>
        <ForgotForm />
      </QueryProvider>
    </Entrance>
  );
}
