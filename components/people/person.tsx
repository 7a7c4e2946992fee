import { Initials } from "./initials.tsx";

/** `user:ada` → ada; other actors as they are. */
export function personName(reference: string): string {
  return reference.replace(/^user:/, "");
}

/** A person by name, or "Unassigned". */
export function Person({ reference }: { reference: string | null }) {
  if (reference === null) return <PersonParts reference={null} />;
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5">
      <PersonParts reference={reference} />
    </span>
  );
}

/** For use within an existing flex box. */
export function PersonParts({ reference }: { reference: string | null }) {
  if (reference === null) return <span className="text-muted">Unassigned</span>;
  const name = personName(reference);
  return (
    <>
      <Initials name={name} />
      <span className="truncate">{name}</span>
    </>
  );
}
