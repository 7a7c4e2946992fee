"use client";

import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";

/**
 * A step of time: the values stacked in its bar, from the bottom, and the values of its lines; null
 * if there are none.
 */
export type ChartStep = {
  name: string;
  label: string;
  stack: readonly number[];
  lines: readonly (number | null)[];
};

/** `fill` and `stroke` are Tailwind classes. */
type SeriesClasses = { stack: readonly string[]; lines: readonly string[] };

type Range = { from: number; to: number };

const WIDTH = 1000;
const BARS = 84;
const GAP = 14;
const LINES = 46;
const HEIGHT = BARS + GAP + LINES;

/**
 * Bars over lines, along the same steps of time. A range is chosen by dragging, or by keyboard:
 * arrows move, with Shift they extend, Enter chooses, Escape cancels. `onChoose` receives the first
 * and the last step; without it, the chart is read-only.
 */
export function BrushChart({
  label,
  steps,
  classes,
  onChoose,
}: {
  label: string;
  steps: readonly ChartStep[];
  classes: SeriesClasses;
  onChoose?: (from: number, to: number) => void;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const [anchor, setAnchor] = useState<number | null>(null);
  const last = steps.length - 1;
  const current = at === null ? null : Math.min(at, last);
  const range = current === null || anchor === null ? null : between(anchor, current);
  const clearAnchor = () => setAnchor(null);

  function stepAt(event: PointerEvent): number {
    const box = ref.current?.getBoundingClientRect();
    if (!box) return 0;
    return Math.max(
      0,
      Math.min(last, Math.floor(((event.clientX - box.left) / box.width) * steps.length)),
    );
  }

  function choose(chosen: Range): void {
    clearAnchor();
    onChoose?.(chosen.from, chosen.to);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const move = MOVES[event.key];
    const now = current ?? last;
    if (move) {
      event.preventDefault();
      setAnchor(event.shiftKey && onChoose ? (anchor ?? now) : null);
      setAt(Math.max(0, Math.min(last, move(now, last))));
    } else if (event.key === "Enter" && current !== null && onChoose) {
      event.preventDefault();
      choose(range ?? { from: current, to: current });
    } else if (event.key === "Escape" && anchor !== null) {
      event.stopPropagation();
      clearAnchor();
    }
  }

  return (
    <div className="relative">
      <div
        ref={ref}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={current ?? last}
        aria-valuetext={readingOf(steps, current ?? last, range)}
        onKeyDown={onKeyDown}
        onFocus={() => setAt((known) => known ?? last)}
        onBlur={() => {
          setAt(null);
          clearAnchor();
        }}
        onPointerDown={(event) => {
          setAt(stepAt(event));
          if (!onChoose) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setAnchor(stepAt(event));
        }}
        onPointerMove={(event) => setAt(stepAt(event))}
        onPointerUp={(event) => anchor !== null && choose(between(anchor, stepAt(event)))}
        onPointerCancel={clearAnchor}
        onPointerLeave={() => anchor === null && setAt(null)}
        className="touch-pan-y rounded-md outline-offset-4 select-none focus-visible:outline-2 focus-visible:outline-focus"
      >
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          className="h-36 w-full"
        >
          <Bars steps={steps} fills={classes.stack} />
          <line
            x1="0"
            x2={WIDTH}
            y1={BARS}
            y2={BARS}
            className="stroke-line"
            vectorEffect="non-scaling-stroke"
          />
          <Lines steps={steps} strokes={classes.lines} />
          {range && (
            <Band
              from={range.from}
              to={range.to}
              count={steps.length}
              className="fill-accent-text/20"
            />
          )}
          {current !== null && (
            <Band from={current} to={current} count={steps.length} className="fill-ink/10" />
          )}
        </svg>
      </div>
      {current !== null && (
        <p
          className={`pointer-events-none absolute top-0 z-10 max-w-full rounded-md bg-raised px-2.5 py-1.5 text-xs tabular-nums shadow-overlay ${current > last / 2 ? "left-0" : "right-0"}`}
        >
          {readingOf(steps, current, range)}
        </p>
      )}
    </div>
  );
}

const MOVES: Record<string, (now: number, last: number) => number> = {
  ArrowLeft: (now) => now - 1,
  ArrowRight: (now) => now + 1,
  PageUp: (now) => now - 10,
  PageDown: (now) => now + 10,
  Home: () => 0,
  End: (_, last) => last,
};

function between(a: number, b: number): Range {
  return { from: Math.min(a, b), to: Math.max(a, b) };
}

function readingOf(steps: readonly ChartStep[], at: number, range: Range | null): string {
  const step = steps[at];
  if (!step) return "";
  if (range && range.from !== range.to)
    return `${steps[range.from]?.name} to ${steps[range.to]?.name}`;
  return `${step.name}: ${step.label}`;
}

function Bars({ steps, fills }: { steps: readonly ChartStep[]; fills: readonly string[] }) {
  const max = Math.max(1, ...steps.map(({ stack }) => stack.reduce((sum, part) => sum + part, 0)));
  const width = WIDTH / steps.length;
  return steps.flatMap(({ name, stack }, place) => {
    let y = BARS;
    return stack.map((part, layer) => {
      // At least two pixels, so that one error among thousands of calls is visible.
      const height = part === 0 ? 0 : Math.max(2, (part / max) * BARS);
      y -= height;
      if (height === 0) return null;
      return (
        <rect
          key={`${name} ${fills[layer]}`}
          x={place * width + width * 0.1}
          y={Math.max(0, y)}
          width={width * 0.8}
          height={height}
          className={fills[layer]}
        />
      );
    });
  });
}

/** A logarithmic scale, because one slow call would flatten all others. */
function Lines({ steps, strokes }: { steps: readonly ChartStep[]; strokes: readonly string[] }) {
  const max = Math.log1p(
    Math.max(1, ...steps.flatMap(({ lines }) => lines.map((value) => value ?? 0))),
  );
  const width = WIDTH / steps.length;
  const pointOf = (value: number, place: number) =>
    `${(place + 0.5) * width},${HEIGHT - 2 - (Math.log1p(value) / max) * (LINES - 4)}`;
  return strokes.map((stroke, line) => {
    const parts = steps.map(({ lines }, place) =>
      lines[line] == null ? null : pointOf(lines[line], place),
    );
    const path = parts
      .map((point, place) =>
        point === null ? "" : `${parts[place - 1] ? "L" : `M${point} h0.01 M`}${point}`,
      )
      .join(" ");
    return (
      <path
        key={stroke}
        d={path}
        fill="none"
        strokeWidth="2"
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
        className={stroke}
      />
    );
  });
}

function Band({ from, to, count, className }: Range & { count: number; className: string }) {
  const width = WIDTH / count;
  return (
    <rect
      x={from * width}
      y="0"
      width={(to - from + 1) * width}
      height={HEIGHT}
      className={className}
    />
  );
}
