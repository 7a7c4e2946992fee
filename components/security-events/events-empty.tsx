import { ScrollText, SearchX, ShieldAlert } from "lucide-react";
import Link from "next/link";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";

export function EventsEmpty({ tenantId }: { tenantId: string }) {
  return (
    <Notice
      icon={ScrollText}
      title="Nothing has happened yet"
      action={
        <Link href={`/${tenantId}/api-keys`} className={buttonClass({ variant: "primary" })}>
          Go to the API keys
        </Link>
      }
    >
      Who signs in, makes a key, changes a webhook, exports data or is refused appears here, in a record that nobody can rewrite unseen.
    </Notice>
  );
}

export function EventsNoMatch({ onClear }: { onClear: () => void }) {
  return (
    <Notice icon={SearchX} title="No event matches" action={<Button onClick={onClear}>Show all events</Button>}>
      Nothing of that kind happened in that time.
    </Notice>
  );
}

/** For those who cannot read the trail: why, and who can. */
export function EventsForAdmins({ tenantId, roles }: { tenantId: string; roles: string }) {
  return (
    <Notice
      icon={ShieldAlert}
      title="Admins read the security events"
      action={
        <Link href={`/${tenantId}/exceptions`} className={buttonClass()}>
          Go to the exceptions
        </Link>
      }
    >
      They tell who did what and from where, of everybody in the tenant. You are signed in as {roles}. Ask a tenant admin what you need to
      know, or for their role.
    </Notice>
  );
}
