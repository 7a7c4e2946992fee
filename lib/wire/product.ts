/** The name of the product in pages, emails and messages. */
export const PRODUCT = "Tieout";

/** The same in identifiers: connections, traces, challenges and addresses of examples. */
export const PRODUCT_ID = "tieout";

/** Stands for the origin of a deployment in examples. */
export const EXAMPLE_ORIGIN = `https://${PRODUCT_ID}.example`;
