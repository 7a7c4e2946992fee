import { WebhooksSkeleton } from "#components/webhooks/webhooks-states.tsx";

export default function Loading() {
  return (
    <div className="pt-24">
      <WebhooksSkeleton />
    </div>
  );
}
