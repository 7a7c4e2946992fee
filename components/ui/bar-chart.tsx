"use client";

import dynamic from "next/dynamic";
import type { BarProps, Datum } from "./bars.tsx";
import { Disclosure } from "./disclosure.tsx";
import { Skeleton } from "./skeleton.tsx";

/** The chart library is loaded with the first chart. The box has a fixed height, so that nothing shifts. */
export const Bars = dynamic(() => import("./bars.tsx").then((part) => part.Bars), {
  ssr: false,
  loading: () => <Skeleton className="h-full w-full" />,
});

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
          label={`${label}: ${total.toLocaleString("en")} in total. Use the arrow keys to read values, or see the table below.`}
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
