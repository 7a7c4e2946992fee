/** Every operation of /v1. */
import type { Contract } from "./contract.ts";
import * as exceptions from "./exceptions/contract.ts";
import * as tenants from "./tenants/contract.ts";

export const CONTRACTS: readonly Contract[] = [
  tenants.getMeContract,
  exceptions.listSlaExceptionsContract,
  exceptions.listExceptionsContract,
  exceptions.createExceptionContract,
  exceptions.getExceptionContract,
  exceptions.updateExceptionContract,
] as unknown as Contract[];
