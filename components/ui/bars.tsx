"use client";

import { Bar, BarChart, CartesianGrid, LabelList, Tooltip, XAxis, YAxis } from "recharts";

/** `fill` is a Tailwind class. */
export type Series = { key: string; name: string; fill: string };

/** A bar: its name, one number per series, and the risk it shows, if any. */
export type Datum = { name: string; risk?: string; [series: string]: string | number | undefined };

export type BarProps = {
  label: string;
  data: readonly Datum[];
  series: readonly Series[];
  width: number;
  height: number;
  /** Whether the series are side by side; otherwise they are stacked. */
  grouped?: boolean;
  /** The short name below a bar. If there are few bars, each has one, wrapped if it is long. */
  tick?: (name: string) => string;
  /** The names of the bars that have a tick; if omitted, as many as fit. */
  ticks?: readonly string[] | undefined;
};

const LABELLED_BARS_MAX = 8;
const TICK = { fill: "var(--color-muted)", fontSize: 12 };
/** The width at which six names still fit on a phone. */
const SHORT_NAME_PX = 40;
const TWO_LINES_PX = 38;
const DIGIT_PX = 8;
const TICK_GAP_PX = 12;
const LINE = { stroke: "var(--color-line)" };

type Shape = { x?: number; y?: number; width?: number; height?: number; payload?: Datum };

/**
 * The bars. Arrow keys move between them like the pointer does. Nothing animates, because the data
 * refreshes while it's read. Sizes are set in the browser: the content security policy forbids
 * style attributes from the server.
 */
export function Bars({
  label,
  data,
  series,
  width,
  height,
  grouped = false,
  tick,
  ticks,
}: BarProps) {
  const isFew = data.length <= LABELLED_BARS_MAX;
  const each = isFew && tick !== undefined && ticks === undefined;
  return (
    <BarChart
      data={data as Datum[]}
      width={width}
      height={height}
      margin={{ top: 18, right: 16, bottom: 0, left: 8 }}
      barCategoryGap={data.length > 60 ? "8%" : "22%"}
      aria-label={label}
      className="tabular-nums"
    >
      <CartesianGrid vertical={false} stroke="var(--color-line)" />
      <XAxis
        dataKey="name"
        tickFormatter={tick ?? String}
        {...(ticks && { ticks: [...ticks] })}
        {...(each && { height: TWO_LINES_PX })}
        tick={each ? { ...TICK, width: SHORT_NAME_PX } : TICK}
        tickLine={false}
        axisLine={LINE}
        interval={each ? 0 : ticks || isFew ? "equidistantPreserveStart" : "preserveStartEnd"}
        minTickGap={12}
      />
      <YAxis
        width={widthOf(data, series)}
        allowDecimals={false}
        tick={TICK}
        tickLine={false}
        axisLine={false}
        tickFormatter={formatTick}
      />
      <Tooltip
        content={({ active, payload }) =>
          active && <Tip datum={payload?.[0]?.payload} series={series} />
        }
        cursor={{ fill: "var(--color-hover)" }}
        isAnimationActive={false}
        wrapperStyle={{ outline: "none", zIndex: 20 }}
      />
      {series.map(({ key, name, fill }, place) => (
        <Bar
          key={key}
          dataKey={key}
          name={name}
          stackId={grouped ? key : "all"}
          isAnimationActive={false}
          shape={(bar: Shape) => (
            <Block {...bar} fill={fill} top={grouped || place === series.length - 1} />
          )}
        >
          {series.length === 1 && isFew && (
            <LabelList
              dataKey={key}
              position="top"
              formatter={(value) => (value ? formatTick(value) : "")}
              className="fill-ink text-xs font-medium"
            />
          )}
        </Bar>
      ))}
    </BarChart>
  );
}

/**
 * The width of the largest axis label, which may be the next round number. Measuring it in the page
 * would draw the chart twice.
 */
function widthOf(data: readonly Datum[], series: readonly Series[]): number {
  const max = Math.max(
    0,
    ...data.map((datum) => series.reduce((sum, { key }) => sum + Number(datum[key] ?? 0), 0)),
  );
  return formatTick(Math.ceil(max * 1.25)).length * DIGIT_PX + TICK_GAP_PX;
}

function Block({
  x = 0,
  y = 0,
  width = 0,
  height = 0,
  payload,
  fill,
  top,
}: Shape & { fill: string; top: boolean }) {
  if (height <= 0) return null;
  return (
    <rect
      x={x}
      y={y}
      width={width}
      height={height}
      rx={top && width > 8 ? 2 : 0}
      data-risk={payload?.risk}
      className={fill}
    />
  );
}

function Tip({ datum, series }: { datum: Datum | undefined; series: readonly Series[] }) {
  if (!datum) return null;
  return (
    <div role="status" className="rounded-md bg-raised px-2.5 py-1.5 text-xs shadow-overlay">
      <p className="text-muted">{datum.name}</p>
      {series.map(({ key, name }) => (
        <p key={key} className="font-medium tabular-nums">
          {formatTick(datum[key])} {name}
        </p>
      ))}
    </div>
  );
}

function formatTick(value: unknown): string {
  return Number(value).toLocaleString("en");
}
