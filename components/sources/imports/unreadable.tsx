import { ApiProblem } from "#components/api-client.ts";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { Button } from "#components/ui/button.tsx";
import { Note } from "#components/ui/note.tsx";

/** Why a file has no preview, and what to do. */
export function Unreadable({
  error,
  onRetry,
  onReset,
}: {
  error: Error;
  onRetry: () => void;
  onReset: () => void;
}) {
  const found = error instanceof ApiProblem ? error.errors : [];
  return (
    <div role="alert" className="flex flex-col items-start gap-3">
      {found.length > 0 ? (
        <Note tone="danger">
          {found.map(({ path, message }) => (
            <p key={`${path} ${message}`}>{message}</p>
          ))}
        </Note>
      ) : (
        <ProblemNote error={error} />
      )}
      <div className="flex flex-wrap gap-2">
        {found.length === 0 && (
          <Button variant="primary" onClick={onRetry}>
            Try again
          </Button>
        )}
        <Button variant={found.length > 0 ? "primary" : "secondary"} onClick={onReset}>
          Choose another file
        </Button>
      </div>
    </div>
  );
}
