import { Disclosure } from "#components/ui/disclosure.tsx";
import { contrast } from "./colour.ts";
import { Section } from "./specimen.tsx";
import { Swatch } from "./swatch.tsx";
import { PAIRS, readTokens, THEMES } from "./tokens.ts";

const OF_A_RISK_OR_TONE = / of /;

export function ColourSection() {
  const tokens = readTokens();
  const plain = [...tokens].filter(
    ([name]) => !OF_A_RISK_OR_TONE.test(name) && !name.startsWith("shadow"),
  );
  return (
    <Section
      title="Colour"
      about="Every colour has a value for both themes. Text has a contrast of at least 4.5:1 on every background it's used on, meaningful lines and marks at least 3:1. A test computes this from the tokens."
    >
      <ul className="grid gap-x-6 gap-y-3 sm:grid-cols-2 lg:grid-cols-3">
        {plain.map(([name, { light, dark }]) => (
          <li
            key={name}
            className="grid grid-cols-[7rem_minmax(0,1fr)_minmax(0,1fr)] items-center gap-2 text-sm"
          >
            <span className="truncate font-mono text-xs">{name}</span>
            <Swatch fill={light} label={`${name}, light: ${light}`} />
            <Swatch fill={dark} label={`${name}, dark: ${dark}`} />
          </li>
        ))}
      </ul>
      <Disclosure title={`Contrast of the ${PAIRS.length} pairs that meet`}>
        <section
          className="max-h-96 overflow-auto rounded-md border border-line"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
          tabIndex={0}
          aria-label="Contrast of colour pairs"
        >
          <table className="w-full text-sm">
            <thead className="sticky top-0 bg-surface text-left text-xs text-muted">
              <tr>
                <th className="px-3 py-2 font-medium">Pair</th>
                <th className="px-3 py-2 font-medium">Required</th>
                {THEMES.map((theme) => (
                  <th key={theme} className="px-3 py-2 text-right font-medium capitalize">
                    {theme}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {PAIRS.map(({ ink, on, min }) => (
                <tr key={`${ink} ${on}`}>
                  <td className="px-3 py-1.5 font-mono text-xs">
                    {ink} <span className="text-muted">on</span> {on}
                  </td>
                  <td className="px-3 py-1.5 text-muted tabular-nums">{min}:1</td>
                  {THEMES.map((theme) => (
                    <td key={theme} className="px-3 py-1.5 text-right tabular-nums">
                      {contrast(
                        tokens.get(ink)?.[theme] ?? "#000000",
                        tokens.get(on)?.[theme] ?? "#000000",
                      ).toFixed(1)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </Disclosure>
    </Section>
  );
}
