from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Union

from ._types import DECIMALS


def to_decimal(minor: Union[int, str], currency: str) -> Decimal:
    """An amount of minor units in the currency's own unit: 125000 EUR is Decimal("1250.00")."""
    if isinstance(minor, bool) or not isinstance(minor, (int, str)):
        raise TypeError("An amount is an integer of minor units.")
    return Decimal(int(minor)).scaleb(-DECIMALS.get(currency, 2))


def to_minor(amount: Union[Decimal, str], currency: str) -> int:
    """"1250.00" EUR as 125000 minor units. Raises ValueError rather than rounding."""
    if not isinstance(amount, (Decimal, str)):
        raise TypeError("An amount is a Decimal or a string, never a float.")
    try:
        minor = Decimal(amount).scaleb(DECIMALS.get(currency, 2))
        if minor == minor.to_integral_value():
            return int(minor)
    except (InvalidOperation, ValueError, OverflowError):
        pass
    raise ValueError(f"{amount} is no amount of {currency}.")
