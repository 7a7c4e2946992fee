import { expect, test } from "vitest";
import { attachment } from "./attachment.ts";

test.each([
  ["statement-Bank-Ledger.csv", 'attachment; filename="statement-Bank-Ledger.csv"'],
  [
    "Bücher (1)'s.csv",
    "attachment; filename=\"B_cher (1)'s.csv\"; filename*=UTF-8''B%C3%BCcher%20%281%29%27s.csv",
  ],
  [
    'a"b\\c\r\nX: y.csv',
    "attachment; filename=\"a_b_c__X: y.csv\"; filename*=UTF-8''a%22b%5Cc%0D%0AX%3A%20y.csv",
  ],
  ["50%25.csv", "attachment; filename=\"50_25.csv\"; filename*=UTF-8''50%2525.csv"],
  ["\ud800.csv", "attachment; filename=\"_.csv\"; filename*=UTF-8''%EF%BF%BD.csv"],
])("names the file %j by RFC 6266, with a fallback in ASCII", (name, header) => {
  expect(attachment(name)).toBe(header);
});
