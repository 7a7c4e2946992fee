import { wordsOf } from "../prepare/text.ts";

const FORMS = new Set(
  `AB AG APS AS ASA BV CORP DAC EG EK EURL GBR GMBH INC KFT KG LLC LLP LP LTD NV OHG OY OYJ PLC PTY
  SA SARL SAS SASU SE SL SLU SNC SPA SRL UG ZOO`.split(/\s+/),
);
const SPELLED_OUT: Record<string, string> = {
  CORPORATION: "CORP",
  INCORPORATED: "INC",
  LIMITED: "LTD",
};
/** Words among legal forms that are none. */
const BETWEEN = new Set(["AND", "CO", "COMPANY", "ET", "UND", "CIE", "SP"]);

/**
 * Whether both names end in a legal form and share none: Rossi S.r.l. and Rossi GmbH are two
 * companies. A form that begins like the other may only be cut.
 */
export function legalFormsDiffer(one: string, other: string): boolean {
  const [mine, theirs] = [legalFormsOf(one), legalFormsOf(other)];
  const areAlike = (a: string, b: string) => a.startsWith(b) || b.startsWith(a);
  return (
    mine.length > 0 &&
    theirs.length > 0 &&
    !mine.some((form) => theirs.some((their) => areAlike(form, their)))
  );
}

/** The legal forms at the end of a name, with the letters of "S.à r.l." as one word. */
function legalFormsOf(name: string): string[] {
  const words = wordsOf(name, "description");
  const forms: string[] = [];
  let letters = "";
  for (let at = words.length - 1; at > 0; at--) {
    const word = words[at] as string;
    if (word.length === 1) {
      letters = word + letters;
      continue;
    }
    if (FORMS.has(letters)) forms.push(letters);
    else if (letters) return forms;
    letters = "";
    const form = SPELLED_OUT[word] ?? word;
    if (FORMS.has(form)) forms.push(form);
    else if (!BETWEEN.has(word)) return forms;
  }
  if (FORMS.has(letters)) forms.push(letters);
  return forms;
}
