/** A round avatar placeholder, shown next to the name. */
export function Initials({ name }: { name: string }) {
  const letters = name
    .split(/[\s._-]+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => [...word][0])
    .join("");
  return (
    <span
      aria-hidden
      className="inline-flex size-5 shrink-0 items-center justify-center rounded-full bg-selected text-[0.625rem] font-semibold text-ink uppercase"
    >
      {letters}
    </span>
  );
}
