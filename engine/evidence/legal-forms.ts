import { wordsOf } from "../prepare/text.ts";

const LEGAL_FORMS = new Set(
  `AB AG APS AS ASA BV CORP DAC EG EK EURL GBR GMBH INC KFT KG LLC LLP LP LTD NV OHG OY OYJ PLC PTY
  SA SARL SAS SASU SE SL SLU SNC SPA SRL UG ZOO`.split(/\s+/),
);
const SPELLED_OUT: Record<string, string> = {
  CORPORATION: "CORP",
  INCORPORATED: "INC",
  LIMITED: "LTD",
};
/** Words between legal forms that aren't legal forms themselves. */
const CONNECTING_WORDS = new Set(["AND", "CO", "COMPANY", "ET", "UND", "CIE", "SP"]);

/**
 * Whether both names end in legal forms that differ: Rossi S.r.l. and Rossi GmbH are two companies.
 * A form that is the beginning of the other may be the same form cut off.
 */
export function legalFormsDiffer(one: string, other: string): boolean {
  const [forms, otherForms] = [legalFormsOf(one), legalFormsOf(other)];
  const canBeSame = (a: string, b: string) => a.startsWith(b) || b.startsWith(a);
  return (
    forms.length > 0 &&
    otherForms.length > 0 &&
    !forms.some((form) => otherForms.some((otherForm) => canBeSame(form, otherForm)))
  );
}

/** The legal forms at the end of a name. Single letters, as in "S.à r.l.", are joined. */
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
    if (LEGAL_FORMS.has(letters)) forms.push(letters);
    else if (letters) return forms;
    letters = "";
    const form = SPELLED_OUT[word] ?? word;
    if (LEGAL_FORMS.has(form)) forms.push(form);
    else if (!CONNECTING_WORDS.has(word)) return forms;
  }
  if (LEGAL_FORMS.has(letters)) forms.push(letters);
  return forms;
}
