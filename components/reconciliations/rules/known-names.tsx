import { Card } from "#components/kit/card.tsx";
import { Button } from "#components/ui/button.tsx";
import type { RuleSet } from "#lib/matching/rules/contract.ts";

type Names = RuleSet["learnt"]["names"];
type Forgotten = Pick<Names[number], "left" | "right">[];

/**
 * Pairs of names without a common word, learnt from confirmed matches. Forgotten ones stay visible
 * until the rules are saved.
 */
export function KnownNames({
  names,
  forgotten,
  readOnly,
  onChange,
}: {
  names: Names;
  forgotten: Forgotten;
  readOnly: boolean;
  onChange: (forgotten: Forgotten) => void;
}) {
  const isSame = (a: { left: string; right: string }, b: { left: string; right: string }) =>
    a.left === b.left && a.right === b.right;
  return (
    <Card
      title="Known names"
      hint="Learnt from matches you confirmed whose lines share no word. Later runs take the two names for one."
    >
      <ul className="flex flex-col divide-y divide-line">
        {names.map(({ left, right, confirmed }) => {
          const isForgotten = forgotten.some((one) => isSame(one, { left, right }));
          return (
            <li
              key={`${left} ${right}`}
              className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2 text-sm"
            >
              <span
                className={`min-w-0 flex-1 break-words max-sm:basis-full ${isForgotten ? "text-muted line-through" : ""}`}
              >
                {right} <span className="text-muted">is</span> {left}
              </span>
              <span className="text-muted max-sm:flex-1">
                {confirmed === 1
                  ? "1 confirmed match"
                  : `${confirmed.toLocaleString("en")} confirmed matches`}
              </span>
              {!readOnly && (
                <Button
                  size="sm"
                  className="min-w-18"
                  aria-label={
                    isForgotten ? `Keep ${right} as ${left}` : `Forget ${right} as ${left}`
                  }
                  onClick={() =>
                    onChange(
                      isForgotten
                        ? forgotten.filter((one) => !isSame(one, { left, right }))
                        : [...forgotten, { left, right }],
                    )
                  }
                >
                  {isForgotten ? "Keep" : "Forget"}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
