import type { Metadata } from "next";
import { QueryProvider } from "#components/kit/query-provider.tsx";
import { Entrance } from "#components/sign-in/entrance.tsx";
import { Invitation } from "#components/sign-in/invitation.tsx";
import { PASSWORD } from "#lib/accounts/contract.ts";

export const metadata: Metadata = { title: "Accept your invitation", referrer: "no-referrer" };

export default function InvitationPage() {
  return (
    <Entrance title="Accept your invitation">
      <QueryProvider>
        <Invitation min={PASSWORD.min} />
      </QueryProvider>
    </Entrance>
  );
}
