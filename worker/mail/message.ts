import { PRODUCT } from "#lib/wire/product.ts";

/** A mail's content: paragraphs and at most one action. Text and HTML are derived from it. */
export type Message = {
  /**
   * The same for every retry, so that mail programs recognize a duplicate by its Message-ID. It has
   * only letters, digits, `_` and `-`.
   */
  id: string;
  to: string;
  subject: string;
  paragraphs: readonly string[];
  /** Shown as a list. */
  items?: readonly { text: string; detail: string; url: string }[];
  action?: { label: string; url: string };
  /** Why the recipient gets this mail. */
  footer: string;
};

const SUBJECT_MAX_LENGTH = 180;

/**
 * The subject in one line, because a line break in a title or in a tenant's name would end the
 * header.
 */
export function subjectOf({ subject }: Message): string {
  const line = subject.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return [...line].slice(0, SUBJECT_MAX_LENGTH).join("");
}

export function textOf({ paragraphs, items = [], action, footer }: Message): string {
  return [
    ...paragraphs,
    ...items.map(
      ({ text, detail, url }) => `* ${toOneLine(text)}\n  ${toOneLine(detail)}\n  ${url}`,
    ),
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    `--\n${footer}`,
    "",
  ].join("\n\n");
}

/** Only inline styles, because mail programs drop others. */
export function htmlOf({ paragraphs, items = [], action, footer }: Message): string {
  const rows = items.map(
    ({ text, detail, url }) =>
      `<li style="margin:0 0 12px"><a href="${escapeHtml(url)}" style="color:#1d4ed8">${escapeHtml(text)}</a><br><span style="color:#52525b">${escapeHtml(detail)}</span></li>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;padding:24px;background:#fff;color:#18181b;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:34rem;margin:0 auto">
<p style="font-weight:600;font-size:18px;margin:0 0 16px">${PRODUCT}</p>
${paragraphs.map((text) => `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`).join("\n")}
${rows.length > 0 ? `<ul style="padding-left:20px;margin:0 0 16px">${rows.join("")}</ul>` : ""}
${action ? `<p style="margin:24px 0"><a href="${escapeHtml(action.url)}" style="background:#18181b;color:#fff;text-decoration:none;padding:10px 18px;border-radius:6px;display:inline-block">${escapeHtml(action.label)}</a></p>\n<p style="color:#52525b;font-size:14px;margin:0 0 16px;word-break:break-all">${escapeHtml(action.url)}</p>` : ""}
<p style="color:#52525b;font-size:13px;border-top:1px solid #e4e4e7;padding-top:12px;margin:24px 0 0">${escapeHtml(footer)}</p>
</div>
</body></html>
`;
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
