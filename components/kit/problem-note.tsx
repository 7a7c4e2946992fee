import { ApiProblem } from "#components/api-client.ts";
import { Note } from "#components/ui/note.tsx";

/** An error in a form or panel, with its request ID. */
export function ProblemNote({ error, children }: { error: Error; children?: string }) {
  const requestId = error instanceof ApiProblem ? error.requestId : null;
  return (
    <Note tone="danger">
      {error.message} {children}
      {requestId && <span className="block font-mono text-xs break-all">Request {requestId}</span>}
    </Note>
  );
}
