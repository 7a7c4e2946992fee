import { SearchX, ShieldAlert, Webhook } from "lucide-react";
import Link from "next/link";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Skeleton, SkeletonRows } from "#components/ui/skeleton.tsx";
import { COLUMNS } from "./webhook-table.tsx";

const CELLS = ["w-3/4", "w-20", "w-28", "w-24", "w-26", "w-18"];

/** The list's shape while it loads. */
export function WebhooksSkeleton() {
  return (
    <div role="status" aria-label="Loading webhooks" className="@container px-4 sm:px-6">
      <Skeleton className="mb-4 h-8 w-24" />
      <div className="border-t border-line">
        <SkeletonRows count={5} row={`h-31 flex-wrap gap-x-4 px-2 @4xl:h-16 ${COLUMNS}`} cells={CELLS} />
      </div>
    </div>
  );
}

export function WebhooksEmpty({ onRegister }: { onRegister: () => void }) {
  return (
    <Notice
      icon={Webhook}
      title="No webhooks yet"
      action={
        <Button variant="primary" onClick={onRegister}>
          Register webhook
        </Button>
      }
    >
      Tieout calls an address of yours the moment something happens: an exception nears its deadline or passes it, a key expires. Every call
      is signed, retried, and logged here.
    </Notice>
  );
}

export function WebhooksNoMatch({ onClear }: { onClear: () => void }) {
  return (
    <Notice icon={SearchX} title="No webhook matches" action={<Button onClick={onClear}>Clear filter</Button>}>
      There are others, but none in this state.
    </Notice>
  );
}

/** For those who cannot manage webhooks: why, and who can. */
export function WebhooksForAdmins({ tenantId, roles }: { tenantId: string; roles: string }) {
  return (
    <Notice
      icon={ShieldAlert}
      title="Admins manage webhooks"
      action={
        <Link href={`/${tenantId}/exceptions`} className={buttonClass()}>
          Go to the exceptions
        </Link>
      }
    >
      A webhook sends what happens in this tenant to a server outside of it, so only an admin registers and inspects them. You are signed in
      as {roles}. Ask a tenant admin to register one, or for their role.
    </Notice>
  );
}
