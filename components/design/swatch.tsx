/** A swatch drawn as SVG: the content security policy forbids style attributes. */
export function Swatch({ fill, label }: { fill: string; label: string }) {
  return (
    <svg
      viewBox="0 0 40 24"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      className="h-6 w-full min-w-8 rounded-sm ring-1 ring-line"
    >
      <title>{label}</title>
      <rect width="40" height="24" fill={fill} />
    </svg>
  );
}
