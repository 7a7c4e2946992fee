import { UserRoundX } from "lucide-react";
import { redirect } from "next/navigation";
import { SignOutButton } from "#components/sign-in/sign-out-button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { requireUser } from "#lib/auth/page-context.ts";

export default async function StartPage() {
  const { name, memberships } = await requireUser();
  const [tenant] = memberships.keys();
  if (tenant !== undefined) redirect(`/${tenant}`);
  return (
    <main id="content" className="flex min-h-dvh flex-col justify-center">
      <Notice
        icon={UserRoundX}
        level="h1"
        title="You're not a member of any tenant yet"
        action={<SignOutButton />}
      >
        You are signed in as <strong className="text-ink">{name}</strong>, but you haven't been
        added to a tenant. Ask a tenant admin to add you, then sign in again.
      </Notice>
    </main>
  );
}
