import { Skeleton } from "#components/ui/skeleton.tsx";

const TILES = ["a", "b", "c", "d"];
const CARDS = ["a", "b", "c", "d", "e", "f"];

/** The overview's skeleton: four figures, then cards in two columns. */
export function OverviewSkeleton() {
  return (
    <div role="status" aria-label="Loading the overview" className="flex flex-col gap-4">
      <div className="grid grid-cols-2 gap-3 @2xl:grid-cols-4">
        {TILES.map((tile) => (
          <Skeleton key={tile} className="h-20 rounded-lg @xl:h-25" />
        ))}
      </div>
      <div className="grid gap-4 @4xl:grid-cols-2">
        {CARDS.map((card) => (
          <Skeleton key={card} className="h-80 rounded-lg" />
        ))}
      </div>
    </div>
  );
}
