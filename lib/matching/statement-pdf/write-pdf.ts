import { join } from "node:path";
import pdfmake from "pdfmake";
import { documentOf, type PdfInput } from "./document.ts";

/** Not resolved relative to the module, because a bundle has another location. */
const FONTS = join(process.cwd(), "node_modules/pdfmake/fonts/Roboto");

pdfmake.setFonts({
  Roboto: {
    normal: join(FONTS, "Roboto-Regular.ttf"),
    bold: join(FONTS, "Roboto-Medium.ttf"),
    italics: join(FONTS, "Roboto-Italic.ttf"),
    bolditalics: join(FONTS, "Roboto-MediumItalic.ttf"),
  },
});
// The document has no pictures, so only its fonts are ever read.
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy((path) => path.startsWith(FONTS));

/** Latin, Greek and Cyrillic; other letters are empty boxes. */
export async function writePdf(input: PdfInput): Promise<Uint8Array<ArrayBuffer>> {
  const buffer = await pdfmake.createPdf(documentOf(input)).getBuffer();
  return new Uint8Array(buffer);
}
