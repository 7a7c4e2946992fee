import { SeverityLabel, StatusLabel } from "#components/exceptions/labels.tsx";
import { RiskBadge } from "#components/exceptions/risk-badge.tsx";
import { SEVERITIES, STATUSES } from "#lib/exceptions/contract.ts";
import { type ColourVision, distance, simulate } from "./colour.ts";
import { Sample, Section } from "./specimen.tsx";
import { Swatch } from "./swatch.tsx";
import { RISKS, readTokens, THEMES } from "./tokens.ts";

const SIGHTS: readonly { sight: ColourVision; name: string }[] = [
  { sight: "usual", name: "Typical vision" },
  { sight: "deuteranopia", name: "Deuteranopia" },
  { sight: "protanopia", name: "Protanopia" },
];

export function RiskSection() {
  const tokens = readTokens();
  return (
    <Section
      title="Risk and status"
      about="Only risk has strong colours, stepped in hue and lightness, always with an icon and a word. Severity is bars and status is a ring, so neither competes with it."
    >
      <div className="grid gap-6 sm:grid-cols-3">
        <Sample name="Risk">
          {RISKS.map((risk) => (
            <RiskBadge key={risk} risk={risk} />
          ))}
        </Sample>
        <Sample name="Severity">
          {SEVERITIES.map((severity) => (
            <SeverityLabel key={severity} severity={severity} />
          ))}
        </Sample>
        <Sample name="Status">
          {STATUSES.map((status) => (
            <StatusLabel key={status} status={status} />
          ))}
        </Sample>
      </div>
      <div className="flex flex-col overflow-hidden rounded-md border border-line">
        {RISKS.map((risk) => (
          <div
            key={risk}
            data-risk={risk}
            className="relative flex items-center gap-4 px-4 py-2.5 before:absolute before:inset-y-0 before:left-0 before:w-(--risk-rail-width) before:bg-risk-rail"
          >
            <RiskBadge quiet risk={risk} />
            <span className="font-semibold text-risk-text tabular-nums">2 h 14 min</span>
            <span className="truncate">Payout 4711 has no bank line</span>
          </div>
        ))}
      </div>
      <div className="grid gap-4 sm:grid-cols-3">
        {SIGHTS.map(({ sight, name }) => (
          <figure key={sight} className="flex flex-col gap-2 rounded-lg border border-line p-3">
            <figcaption className="text-sm font-medium">{name}</figcaption>
            {THEMES.map((theme) => {
              const seen = RISKS.map((risk) =>
                simulate(sight, tokens.get(`risk-rail of ${risk}`)?.[theme] ?? "#000000"),
              );
              return (
                <div key={theme} className="flex items-center gap-2">
                  <span className="w-9 text-xs text-muted capitalize">{theme}</span>
                  {seen.map((colour, at) => (
                    <Swatch
                      key={RISKS[at]}
                      fill={colour}
                      label={`${RISKS[at]}, ${theme}, ${name}`}
                    />
                  ))}
                  <span className="w-7 text-right text-xs text-muted tabular-nums">
                    {closest(seen).toFixed(0)}
                  </span>
                </div>
              );
            })}
          </figure>
        ))}
      </div>
      <p className="text-sm text-muted">
        The figure is the distance between the two closest colours, as 100 × the distance in OKLab:
        2 is just noticeable, and the test requires 5.
      </p>
    </Section>
  );
}

function closest(colours: readonly string[]): number {
  return Math.min(
    ...colours.flatMap((colour, at) =>
      colours.slice(at + 1).map((other) => distance(colour, other)),
    ),
  );
}
