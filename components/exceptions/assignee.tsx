import { Initials } from "#components/shell/initials.tsx";

export function assigneeName(reference: string): string {
  return reference.replace(/^user:/, "");
}

export function Assignee({ reference }: { reference: string | null }) {
  if (reference === null) return <span className="text-muted">Unassigned</span>;
  const name = assigneeName(reference);
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5">
      <Initials name={name} />
      <span className="truncate">{name}</span>
    </span>
  );
}
