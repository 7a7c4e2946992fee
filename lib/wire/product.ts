/** The name of the product in pages, emails and messages. */
export const PRODUCT = "Tieout";
