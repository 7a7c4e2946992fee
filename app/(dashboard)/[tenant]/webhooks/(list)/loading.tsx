import { PageSkeleton } from "#components/kit/list-skeleton.tsx";
import { WebhookListSkeleton } from "#components/webhooks/webhook-skeletons.tsx";

export default function Loading() {
  return (
    <PageSkeleton action>
      <WebhookListSkeleton filters />
    </PageSkeleton>
  );
}
