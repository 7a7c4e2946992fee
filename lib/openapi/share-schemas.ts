type Node = { [keyword: string]: unknown };
type Document = {
  webhooks: Record<string, { post: { responses: Record<string, unknown> } }>;
  components: { schemas: Record<string, Node>; responses?: Record<string, unknown> };
};
type Use = { properties: Node; name: string };

/**
 * Schemas that properties of these names share, by the name of their component. A larger schema
 * comes before the ones inside it.
 */
const SHARED: Record<string, RegExp> = {
  ExceptionChangeData: /^data$/,
  FileStatements: /^statements$/,
  AmountsBySide: /^items$/,
  AmountsByCurrency: /^amounts$/,
  OpeningHours: /^weekly$/,
  ImportWarnings: /^warnings$/,
  OAuthClientInput: /^oauth$/,
  DeliveriesOfDay: /^last_24h$/,
  DeliveriesOfWeek: /^last_7d$/,
  CalendarBySeverity: /^calendar_by_severity$/,
  MinutesBySeverity: /^minutes_to_resolve$/,
  CountBySeverity: /^by_severity$/,
  ConnectionScheduleInput: /^schedule$/,
  ReviewLevels: /^review_levels$/,
  LineRefusals: /^refusals$/,
  SkippedLines: /^skips$/,
  CalendarId: /^calendar_id$/,
  MinorAmount: /_minor$|^(?:matched|excluded)$/,
  CurrencyOfAmount: /^currency$/,
  FreeText: /^description$/,
  OriginReconciliationId: /^reconciliation_id$/,
  RequestIdempotencyKey: /^idempotency_?key$/i,
  Creator: /^created_by$/,
  CreationTime: /^created_at$/,
  ChangeTime: /^updated_at$/,
  ResponseTime: /^as_of$/,
  EventTime: /^timestamp$/,
  TestMark: /^test$/,
  NextCursor: /^next_cursor$/,
};

/** The component of each response that a receiver of events may send, by status. */
const ANSWERS: Record<string, string> = { "2XX": "EventDelivered", 410: "EventsUnwanted" };

/**
 * Moves repeated schemas and answers to the document's components. If the properties of a name have
 * several schemas, the one that saves the most text is shared. @throws Error if a name in the table
 * is taken or has no repeated schema
 */
export function shareSchemas(
  { webhooks, components }: Document,
  patterns: Record<string, RegExp> = SHARED,
): void {
  for (const [component, pattern] of Object.entries(patterns)) {
    const usesBySchema = Map.groupBy(usesOf(pattern, components.schemas), (use) =>
      JSON.stringify(use.properties[use.name]),
    );
    const [shared] = [...usesBySchema.entries()].sort(
      ([left, { length: leftUses }], [right, { length: rightUses }]) =>
        right.length * (rightUses - 1) - left.length * (leftUses - 1),
    );
    const [schema = "", uses = []] = shared ?? [];
    if (uses.length < 2 || component in components.schemas)
      throw new Error(`${component} in share-schemas.ts is taken, or nothing repeats it.`);
    components.schemas[component] = JSON.parse(schema);
    for (const { properties, name } of uses)
      properties[name] = { $ref: `#/components/schemas/${component}` };
  }
  components.schemas = Object.fromEntries(
    Object.entries(components.schemas).sort(([left], [right]) => (left < right ? -1 : 1)),
  );
  for (const { post } of Object.values(webhooks))
    for (const [status, component] of Object.entries(ANSWERS)) {
      components.responses = { ...components.responses, [component]: post.responses[status] };
      post.responses[status] = { $ref: `#/components/responses/${component}` };
    }
}

function usesOf(pattern: RegExp, node: unknown): Use[] {
  if (typeof node !== "object" || node === null) return [];
  const { properties = {} } = node as { properties?: Record<string, Node> };
  const names = Object.entries(properties).filter(
    ([name, schema]) => pattern.test(name) && !("$ref" in schema),
  );
  return [
    ...names.map(([name]) => ({ properties, name })),
    ...Object.values(node).flatMap((child) => usesOf(pattern, child)),
  ];
}
