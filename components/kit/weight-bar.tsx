/** The weight of a field's evidence: to the right for a match, to the left against it. */
export function WeightBar({ weight, max }: { weight: number; max: number }) {
  const half = (Math.abs(weight) / max) * 50;
  return (
    <span className="flex items-center gap-1">
      <svg
        aria-hidden
        data-tone={weight >= 0 ? "good" : "danger"}
        className="block h-2 min-w-0 flex-1"
      >
        <rect width="100%" height="100%" rx="1" className="fill-hover" />
        <rect
          x={`${weight >= 0 ? 50 : 50 - half}%`}
          width={`${Math.max(1, half)}%`}
          height="100%"
          rx="1"
          className="fill-tone-ink"
        />
      </svg>
      <span className="w-9 shrink-0 text-right text-xs text-muted tabular-nums">
        {weight > 0 && "+"}
        {weight.toFixed(1)}
      </span>
    </span>
  );
}
