/**
 * Three months of another hand than the engine's: modelled on how banks, card networks and guides
 * to reconciliation describe the data, before the engine's rules were looked at, and frozen since.
 * What the engine misses here is the engine's to learn: a change of these files needs a published
 * description that they got wrong.
 *
 * Sources: Nacha's file layout (batch header: company name 16, entry description 10 characters);
 * BAI2 and BTRS, records 16 and 88; SWIFT's MT940 field 86 and the SEPA keywords of the German
 * banks (DFÜ agreement, annex 3); ISO 20022 camt.053 and its return reasons (AC01, AC04, AM04,
 * MD06); card networks' merchant descriptors of 22 characters; guides that name outstanding checks,
 * deposits in transit, transposed digits, charges lifted underway, voids and duplicates as what
 * keeps an account from tying out.
 */
export { companyCards } from "./company-cards.ts";
export { distributor } from "./distributor.ts";
export { manufacturer } from "./manufacturer.ts";
