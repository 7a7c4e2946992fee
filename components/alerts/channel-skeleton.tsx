import { ListSkeleton } from "#components/kit/list-skeleton.tsx";

const CELLS = ["w-1/3", "w-24", "w-32"];

export function ChannelSkeleton() {
  return (
    <ListSkeleton label="Loading alert channels" count={2} row="h-24 gap-x-4 px-2" cells={CELLS} />
  );
}
