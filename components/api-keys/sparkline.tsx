const BAR = 6;
const GAP = 3;
const HEIGHT = 20;

/** The calls of the last 7 days and their total. */
export function Sparkline({ calls }: { calls: readonly number[] }) {
  const max = Math.max(1, ...calls);
  const total = calls.reduce((sum, day) => sum + day, 0);
  return (
    <span className="flex items-center gap-2.5">
      <svg
        viewBox={`0 0 ${calls.length * (BAR + GAP) - GAP} ${HEIGHT}`}
        aria-hidden="true"
        className="h-5 w-15 shrink-0"
      >
        {calls.map((day, index) => {
          const height = day === 0 ? 1 : Math.max(2, (day / max) * HEIGHT);
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a day is its place
              key={index}
              x={index * (BAR + GAP)}
              y={HEIGHT - height}
              width={BAR}
              height={height}
              rx="1"
              className={day === 0 ? "fill-field" : "fill-accent-text"}
            />
          );
        })}
      </svg>
      <span className="tabular-nums">
        {total.toLocaleString("en")} <span className="sr-only">calls in 7 days</span>
      </span>
    </span>
  );
}
