import { z } from "zod";
import { ApiError } from "./errors.ts";
import { requireText } from "./text.ts";

/** An opaque cursor: the sort key of a page's last item, bound to the order of the list. */
const envelope = z.tuple([z.string(), z.array(z.string()).min(1).max(4)]);

export function encodeCursor(order: string, key: string[] | null): string | null {
  return key && Buffer.from(JSON.stringify([order, key])).toString("base64url");
}

/** @throws ApiError `invalid_request` if the cursor is invalid or belongs to another order. */
export function decodeCursor<Key extends z.ZodType>(
  order: string,
  cursor: string | undefined,
  key: Key,
): z.output<Key> | null {
  if (cursor === undefined) return null;
  try {
    const [madeFor, sortKey] = envelope.parse(
      JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")),
    );
    if (madeFor !== order || encodeCursor(order, sortKey) !== cursor)
      throw new Error("not a cursor for this order");
    for (const part of sortKey) requireText(part, () => "cursor");
    return key.parse(sortKey);
  } catch (cause) {
    throw new ApiError("invalid_request", "The request is invalid. See errors for details.", {
      errors: [
        {
          path: "cursor",
          message:
            "Pass next_cursor from the previous page, " +
            "unchanged and with the same filters and order.",
        },
      ],
      cause,
    });
  }
}
