const KNOWN = ["service_role", "publishable_key", "system", "operator", "anonymous"];

/** The actor that a text names: a user, unless it names another kind. */
export function actorOf(text: string): string | null {
  const name = text.trim();
  if (name === "") return null;
  return name.includes(":") || KNOWN.includes(name) ? name : `user:${name}`;
}

/** The text as typed: a user's name alone. */
export function typedActor(actor: string | null): string {
  return actor?.replace(/^user:(?=[^:]+$)/, "") ?? "";
}
