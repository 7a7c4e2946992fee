import { Section } from "./specimen.tsx";

const TYPE = [
  {
    name: "2xl",
    size: "28 / 32",
    use: "A standalone figure",
    look: "text-2xl font-semibold tracking-tight",
  },
  {
    name: "xl",
    size: "20 / 28",
    use: "Page and panel titles",
    look: "text-xl font-semibold tracking-tight",
  },
  {
    name: "lg",
    size: "16 / 24",
    use: "Dialog and notice titles; fields on a phone",
    look: "text-lg font-semibold",
  },
  { name: "base", size: "14 / 22", use: "Body text", look: "text-base" },
  { name: "sm", size: "13 / 20", use: "Tables, labels, hints", look: "text-sm" },
  { name: "xs", size: "12 / 16", use: "Badges, captions", look: "text-xs font-medium" },
  { name: "mono", size: "12 / 20", use: "Identifiers, commands, JSON", look: "font-mono text-xs" },
];

export function TypeSection() {
  return (
    <Section
      title="Type"
      about="Inter, with tabular figures wherever numbers are compared. Six sizes; weight 400 for reading, 500 and 600 for scanning."
    >
      <ul className="flex flex-col divide-y divide-line">
        {TYPE.map(({ name, size, use, look: className }) => (
          <li
            key={name}
            className="grid items-baseline gap-x-6 gap-y-1 py-3 sm:grid-cols-[4rem_5rem_minmax(0,1fr)]"
          >
            <span className="font-mono text-xs text-muted">{name}</span>
            <span className="text-xs text-muted tabular-nums">{size}</span>
            <span className={className}>{use}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const SPACES = [
  { name: "1", width: "w-1", use: "between related lines" },
  { name: "2", width: "w-2", use: "inside a control, between icon and label" },
  { name: "3", width: "w-3", use: "between controls" },
  { name: "4", width: "w-4", use: "page edge on a phone; between fields" },
  { name: "6", width: "w-6", use: "page edge; between groups" },
  { name: "10", width: "w-10", use: "the end of a page" },
  { name: "14", width: "w-14", use: "between separate sections" },
];

const HEIGHTS = [
  { name: "24 px", use: "the smallest target" },
  { name: "32 px", use: "a control in a toolbar, a navigation row" },
  { name: "36 px", use: "a button; toolbar controls on a phone" },
  { name: "40 px", use: "a field" },
  { name: "44 px", use: "a table row; touch targets" },
];

export function SpaceSection() {
  return (
    <Section
      title="Space and density"
      about="Steps of 4 px. Density comes from fewer words, not smaller targets."
    >
      <div className="grid gap-8 sm:grid-cols-2">
        <ul className="flex flex-col gap-2">
          {SPACES.map(({ name, width, use }) => (
            <li
              key={name}
              className="grid grid-cols-[2rem_4rem_minmax(0,1fr)] items-center gap-2 text-sm"
            >
              <span className="font-mono text-xs text-muted">{name}</span>
              <span className={`h-3 rounded-sm bg-accent ${width}`} />
              {use}
            </li>
          ))}
        </ul>
        <dl className="flex flex-col gap-2 text-sm">
          {HEIGHTS.map(({ name, use }) => (
            <div key={name} className="grid grid-cols-[4rem_minmax(0,1fr)] gap-2">
              <dt className="font-mono text-xs leading-5 text-muted">{name}</dt>
              <dd>{use}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Section>
  );
}

const MOTIONS = [
  { ms: "100", use: "hover colours, menus, the palette" },
  { ms: "150", use: "dialogs, from 8 px below" },
  { ms: "200", use: "panels from their side, toasts from below" },
];

export function MotionSection() {
  return (
    <Section
      title="Motion"
      about="Motion shows where something came from and never makes anyone wait. One curve, cubic-bezier(0.2, 0, 0, 1). None with reduced motion."
    >
      <ul className="grid gap-3 sm:grid-cols-3">
        {MOTIONS.map(({ ms, use }) => (
          <li key={ms} className="rounded-lg border border-line p-3 text-sm">
            <span className="block font-semibold tabular-nums">{ms} ms</span>
            <span className="text-muted">{use}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
