import { Disclosure } from "#components/ui/disclosure.tsx";
import type { BreachRisk } from "./deadline.ts";

const [WIDTH, HEIGHT, TOP, BOTTOM] = [480, 176, 20, 22];
const FILL = 0.72;
/** As many names as fit under a chart; as many numbers as fit above one. */
const NAMES_MAX = 8;

export type Bar = { name: string; short?: string; value: number; risk: BreachRisk };

/** Bars, and the same as a table. */
export function BarChart({ label, keyName, valueName, bars }: { label: string; keyName: string; valueName: string; bars: Bar[] }) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const total = bars.reduce((sum, { value }) => sum + value, 0);
  const step = WIDTH / bars.length;
  const every = Math.ceil(bars.length / NAMES_MAX);
  const room = HEIGHT - TOP - BOTTOM;
  return (
    <>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${label}: ${total.toLocaleString("en")} in all. The table below has each number.`}
        className="w-full overflow-visible text-[1rem] tabular-nums @lg:text-[0.75rem]"
      >
        <line x1="0" x2={WIDTH} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} className="stroke-line" />
        {bars.map(({ name, short = name, value, risk }, index) => {
          const [middle, height] = [(index + 0.5) * step, (value / most) * room];
          const top = HEIGHT - BOTTOM - height;
          return (
            <g key={name} data-risk={risk}>
              <title>{`${name}: ${value.toLocaleString("en")}`}</title>
              <rect x={middle - step / 2} y={TOP} width={step} height={room} className="fill-transparent" />
              <rect x={middle - (step * FILL) / 2} y={top} width={step * FILL} height={height} rx="2" className="fill-risk-rail" />
              {value > 0 && (bars.length <= NAMES_MAX || value === most) && (
                <text x={middle} y={top - 5} textAnchor="middle" className="fill-ink font-medium">
                  {value.toLocaleString("en")}
                </text>
              )}
              {(bars.length - 1 - index) % every === 0 && (
                <text x={middle} y={HEIGHT - 5} textAnchor="middle" className="fill-muted">
                  {short}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <Disclosure title="As a table">
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
            {bars.map(({ name, value }) => (
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
