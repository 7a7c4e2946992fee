/**
 * Evaluates an alert's expression over the metrics of processes at one instant, with Prometheus'
 * own grammar and the part of its language that rules over gauges need.
 * https://prometheus.io/docs/prometheus/latest/querying/basics/
 */
import type { SyntaxNode } from "@lezer/common";
import { parser } from "@prometheus-io/lezer-promql";

type Labels = Record<string, string>;
export type Sample = { name: string; labels: Labels; value: number };

/** The samples of a process's metrics, each with the `instance` label that a scrape adds. */
export function samplesOf(text: string, instance: string): Sample[] {
  return text.split("\n").flatMap((line) => {
    const [, name = "", labels = "", value] =
      /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    return value === undefined
      ? []
      : { name, labels: { ...labelsOf(labels), instance }, value: Number(value) };
  });
}

function labelsOf(text: string): Labels {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]),
  );
}

/** The metrics that an expression names. @throws Error if it is invalid */
export function metricsIn(expression: string): string[] {
  const names: string[] = [];
  treeOf(expression).iterate({
    enter: ({ name, from, to }) =>
      void (name === "Identifier" && names.push(expression.slice(from, to))),
  });
  return [...new Set(names)].filter((name) => name.includes("_"));
}

/** The result of the expression, which is empty if the alert doesn't fire. */
export function evaluate(expression: string, samples: readonly Sample[]): Sample[] {
  const { topNode } = treeOf(expression);
  const found = new Evaluation(expression, samples).vector(topNode.firstChild as SyntaxNode);
  return typeof found === "number" ? [] : found;
}

function treeOf(expression: string) {
  const tree = parser.parse(expression);
  tree.iterate({
    enter({ type, from }) {
      if (type.isError) throw new Error(`No PromQL at ${from}: ${expression}`);
    },
  });
  return tree;
}

const COMPARISONS: Record<string, (left: number, right: number) => boolean> = {
  Gtr: (left, right) => left > right,
  Lss: (left, right) => left < right,
  Gte: (left, right) => left >= right,
  Lte: (left, right) => left <= right,
  Eql: (left, right) => left === right,
  Neq: (left, right) => left !== right,
};
const ARITHMETIC: Record<string, (left: number, right: number) => number> = {
  Div: (left, right) => left / right,
  Mul: (left, right) => left * right,
  Add: (left, right) => left + right,
  Sub: (left, right) => left - right,
};
const AGGREGATES: Record<string, (values: number[]) => number> = {
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
};

const keyOf = (labels: Labels) => JSON.stringify(Object.entries(labels).sort());

class Evaluation {
  readonly #text: string;
  readonly #samples: readonly Sample[];

  constructor(text: string, samples: readonly Sample[]) {
    this.#text = text;
    this.#samples = samples;
  }

  vector(node: SyntaxNode): Sample[] | number {
    const first = node.firstChild as SyntaxNode;
    switch (node.name) {
      case "NumberDurationLiteral":
      case "NumberLiteral":
        return Number(this.#of(node));
      case "ParenExpr":
        return this.vector(first);
      case "VectorSelector":
        return this.#select(node);
      case "AggregateExpr":
        return this.#aggregate(node);
      case "BinaryExpr":
        return this.#combine(node);
      default:
        throw new Error(`This test doesn't know ${node.name} of PromQL: ${this.#of(node)}`);
    }
  }

  #of({ from, to }: SyntaxNode): string {
    return this.#text.slice(from, to);
  }

  #select(node: SyntaxNode): Sample[] {
    const name = this.#of(node.getChild("Identifier") as SyntaxNode);
    const matchers = [...this.#of(node).matchAll(/(\w+)(!?=)"([^"]*)"/g)];
    return this.#samples.filter(
      (sample) =>
        sample.name === name &&
        matchers.every(
          ([, label = "", operator, value]) =>
            (sample.labels[label] === value) === (operator === "="),
        ),
    );
  }

  #aggregate(node: SyntaxNode): Sample[] {
    const aggregate = AGGREGATES[this.#of(node.getChild("AggregateOp") as SyntaxNode)];
    const body = node.getChild("FunctionCallBody")?.firstChild;
    if (!aggregate || !body) throw new Error(`This test doesn't know ${this.#of(node)}`);
    const by = this.#of(node).match(/^\w+\s+by\s*\(([^)]*)\)/)?.[1];
    const names = by?.split(",").map((name) => name.trim()) ?? [];
    const groups = new Map<string, Sample[]>();
    for (const sample of this.vector(body) as Sample[]) {
      const labels = Object.fromEntries(names.map((name) => [name, sample.labels[name] ?? ""]));
      groups.set(keyOf(labels), [
        ...(groups.get(keyOf(labels)) ?? []),
        { ...sample, name: "", labels },
      ]);
    }
    return [...groups.values()].map((group) => ({
      ...(group[0] as Sample),
      value: aggregate(group.map(({ value }) => value)),
    }));
  }

  #combine(node: SyntaxNode): Sample[] {
    const first = node.firstChild as SyntaxNode;
    const left = this.vector(first) as Sample[];
    const right = this.vector(node.lastChild as SyntaxNode);
    const operator = first.nextSibling?.name ?? "";
    if (operator === "Or")
      return [
        ...left,
        ...(right as Sample[]).filter(
          ({ labels }) => !left.some((sample) => keyOf(sample.labels) === keyOf(labels)),
        ),
      ];
    return left.flatMap((sample) => {
      const other =
        typeof right === "number"
          ? right
          : right.find(({ labels }) => keyOf(labels) === keyOf(sample.labels))?.value;
      if (other === undefined) return [];
      const [compare, calculate] = [COMPARISONS[operator], ARITHMETIC[operator]];
      if (compare) return compare(sample.value, other) ? sample : [];
      if (calculate) return { ...sample, value: calculate(sample.value, other) };
      throw new Error(`This test doesn't know the operator ${operator}.`);
    });
  }
}
