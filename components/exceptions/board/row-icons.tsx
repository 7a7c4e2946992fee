const CIRCLE = "M2 12a10 10 0 1 0 20 0a10 10 0 1 0-20 0";

/** The shapes of lucide's icons, each in one path. */
const PATHS = {
  "octagon-x":
    "m15 9-6 6M2.586 16.726A2 2 0 0 1 2 15.312V8.688a2 2 0 0 1 .586-1.414l4.688-4.688A2 2 0 0 1 8.688 2h6.624a2 2 0 0 1 1.414.586l4.688 4.688A2 2 0 0 1 22 8.688v6.624a2 2 0 0 1-.586 1.414l-4.688 4.688a2 2 0 0 1-1.414.586H8.688a2 2 0 0 1-1.414-.586zM9 9l6 6",
  "triangle-alert":
    "m21.73 18-8-14a2 2 0 0 0-3.48 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3M12 9v4M12 17h.01",
  hourglass:
    "M5 22h14M5 2h14M17 22v-4.172a2 2 0 0 0-.586-1.414L12 12l-4.414 4.414A2 2 0 0 0 7 17.828V22M7 2v4.172a2 2 0 0 0 .586 1.414L12 12l4.414-4.414A2 2 0 0 0 17 6.172V2",
  "circle-check": `${CIRCLE}M16 9l-5.5 5.5L8 12`,
  "circle-pause": `${CIRCLE}M10 15V9M14 15V9`,
  "circle-dot": `${CIRCLE}M11 12a1 1 0 1 0 2 0a1 1 0 1 0-2 0`,
  "circle-slash": `${CIRCLE}M9 15l6-6`,
  "circle-dashed": CIRCLE,
};

export type RowIconName = keyof typeof PATHS;

/**
 * An icon of a board's row. It is a single element and not a component, because a board has
 * hundreds of them.
 */
export function RowIcon({
  name,
  className,
  strokeWidth = 2,
}: {
  name: RowIconName;
  className: string;
  strokeWidth?: number;
}) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={strokeWidth}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={className}
    >
      <path
        d={PATHS[name]}
        {...(name === "circle-dashed" && {
          strokeLinecap: "butt",
          strokeDasharray: "4.6 3.25",
          strokeDashoffset: "2.3",
        })}
      />
    </svg>
  );
}
