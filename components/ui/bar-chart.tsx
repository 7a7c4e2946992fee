"use client";

import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { BarProps, Datum, Bars as Drawn } from "./bars.tsx";
import { Disclosure } from "./disclosure.tsx";
import { Skeleton } from "./skeleton.tsx";

/** How far from the screen a chart starts to load: one screen. */
const NEAR = "100%";

/**
 * Bars in a box of their parent's size, so that nothing shifts. The chart library is loaded once a
 * chart is near the screen. Each chart is drawn in a separate task after the page around it is
 * painted: together they would be one long task.
 */
export function Bars(props: Omit<BarProps, "width">) {
  const box = useRef<HTMLDivElement>(null);
  const [chart, setChart] = useState<{ Drawn: typeof Drawn; width: number } | null>(null);
  useEffect(() => {
    let isUnmounted = false;
    const sizes = new ResizeObserver(([entry]) => {
      const { width = 0 } = entry?.contentRect ?? {};
      setChart((current) =>
        current === null || current.width === width ? current : { ...current, width },
      );
    });
    const near = new IntersectionObserver(
      async (entries) => {
        const { width } = entries.at(-1)?.isIntersecting
          ? (entries.at(-1)?.boundingClientRect ?? {})
          : {};
        if (width === undefined) return;
        near.disconnect();
        const { Bars: Drawn } = await import("./bars.tsx");
        setTimeout(() => isUnmounted || flushSync(() => setChart({ Drawn, width })));
        if (box.current) sizes.observe(box.current);
      },
      { rootMargin: NEAR },
    );
    if (box.current) near.observe(box.current);
    return () => {
      isUnmounted = true;
      near.disconnect();
      sizes.disconnect();
    };
  }, []);
  return (
    <div ref={box} className="h-full w-full contain-inline-size">
      {chart ? (
        <chart.Drawn {...props} width={chart.width} />
      ) : (
        <Skeleton className="h-full w-full" />
      )}
    </div>
  );
}

const HEIGHT_PX = 190;

/** A bar chart of one series, with a table of the same data. */
export function BarChart({
  label,
  keyName,
  valueName,
  data,
  fill,
  tick,
}: {
  label: string;
  keyName: string;
  valueName: string;
  data: readonly (Datum & { value: number })[];
  fill: string;
  tick?: BarProps["tick"];
}) {
  const total = data.reduce((sum, { value }) => sum + value, 0);
  const series = [{ key: "value", name: valueName.toLowerCase(), fill }];
  return (
    <>
      <div className="h-47.5">
        <Bars
          label={
            `${label}: ${total.toLocaleString("en")} in total. ` +
            "Use the arrow keys to read values, or see the table below."
          }
          data={data}
          series={series}
          height={HEIGHT_PX}
          tick={tick}
        />
      </div>
      <Disclosure title="Show as table">
        <table aria-label={label} className="w-full text-sm">
          <thead className="text-muted">
            <tr className="border-b border-line">
              <th scope="col" className="py-1 text-left font-medium">
                {keyName}
              </th>
              <th scope="col" className="py-1 text-right font-medium">
                {valueName}
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ name, value }) => (
              <tr key={name} className="border-b border-line">
                <th scope="row" className="py-1 text-left font-normal">
                  {name}
                </th>
                <td className="py-1 text-right tabular-nums">{value.toLocaleString("en")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Disclosure>
    </>
  );
}
