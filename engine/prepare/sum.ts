/** A running total that is exact for amounts of any size. */
export class Sum {
  private total = 0n;
  private safe = 0;

  add(amount: number): void {
    const next = this.safe + amount;
    if (Number.isSafeInteger(next)) this.safe = next;
    else {
      this.total += BigInt(this.safe);
      this.safe = amount;
    }
  }

  value(): bigint {
    return this.total + BigInt(this.safe);
  }
}

export function sum(amounts: Iterable<number>): bigint {
  const total = new Sum();
  for (const amount of amounts) total.add(amount);
  return total.value();
}
