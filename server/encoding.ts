export type Encoding = "br" | "gzip" | "identity";

/**
 * The offered encoding that `Accept-Encoding` weights highest (RFC 9110, 12.5.3); of equal weights,
 * the first offered.
 */
export function bestEncoding(
  header: string | string[] | undefined,
  offered: readonly Encoding[] = ["br", "gzip"],
): Encoding {
  const weights = new Map(
    String(header ?? "")
      .split(",")
      .map(weightOf),
  );
  const weight = (encoding: Encoding) => weights.get(encoding) ?? weights.get("*") ?? 0;
  const [best] = offered
    .filter((encoding) => weight(encoding) > 0)
    .sort((left, right) => weight(right) - weight(left));
  return best ?? "identity";
}

function weightOf(range: string): [name: string, weight: number] {
  const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
  const q = parameters.find((parameter) => parameter.startsWith("q="));
  return [name, q === undefined ? 1 : Number(q.slice(2)) || 0];
}
