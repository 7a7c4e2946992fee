import { join } from "node:path";
import pdfmake from "pdfmake";
import { documentOf, type PdfInput } from "./document.ts";

/** Not resolved from the module: a bundle is somewhere else. */
const FONTS = join(process.cwd(), "node_modules/pdfmake/fonts/Roboto");

pdfmake.setFonts({
  Roboto: {
    normal: join(FONTS, "Roboto-Regular.ttf"),
    bold: join(FONTS, "Roboto-Medium.ttf"),
    italics: join(FONTS, "Roboto-Italic.ttf"),
    bolditalics: join(FONTS, "Roboto-MediumItalic.ttf"),
  },
});
// The document has no pictures, so nothing but its fonts is ever read.
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy((path) => path.startsWith(FONTS));

/** Latin, Greek and Cyrillic; other letters are empty boxes. */
export async function writePdf(input: PdfInput): Promise<Uint8Array<ArrayBuffer>> {
  const buffer = await pdfmake.createPdf(documentOf(input)).getBuffer();
  return new Uint8Array(buffer);
}
