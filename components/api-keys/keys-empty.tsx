import { KeyRound, SearchX, ShieldAlert } from "lucide-react";
import Link from "next/link";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";

export function KeysEmpty({ onCreate }: { onCreate: () => void }) {
  return (
    <Notice
      icon={KeyRound}
      title="No API keys yet"
      action={
        <Button variant="primary" onClick={onCreate}>
          Create key
        </Button>
      }
    >
      A key lets one of your servers call Tieout without a person signing in: a batch job, a bank feed, an export.
    </Notice>
  );
}

export function KeysNoMatch({ onClear }: { onClear: () => void }) {
  return (
    <Notice icon={SearchX} title="No API key matches" action={<Button onClick={onClear}>Clear filters</Button>}>
      There are others, but none with these filters.
    </Notice>
  );
}

/** For those who cannot manage keys: why, and who can. */
export function KeysForAdmins({ tenantId, roles }: { tenantId: string; roles: string }) {
  return (
    <Notice
      icon={ShieldAlert}
      title="Admins manage API keys"
      action={
        <Link href={`/${tenantId}/exceptions`} className={buttonClass()}>
          Go to the exceptions
        </Link>
      }
    >
      Keys let servers act for all of the tenant, so only an admin creates, rotates and revokes them. You are signed in as {roles}. Ask a
      tenant admin for a key, or for their role.
    </Notice>
  );
}
