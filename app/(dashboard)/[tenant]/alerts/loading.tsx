import { ChannelSkeleton } from "#components/alerts/channel-skeleton.tsx";
import { PageSkeleton } from "#components/kit/list-skeleton.tsx";

export default function Loading() {
  return (
    <PageSkeleton action>
      <ChannelSkeleton />
    </PageSkeleton>
  );
}
