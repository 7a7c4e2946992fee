/** The name of the product in pages, emails and messages. */
export const PRODUCT = "Tieout";

/** The product's name in identifiers: connections, traces, challenges and example addresses. */
export const PRODUCT_ID = "tieout";

/** Replaces the origin of a deployment in examples. */
export const EXAMPLE_ORIGIN = `https://${PRODUCT_ID}.example`;
