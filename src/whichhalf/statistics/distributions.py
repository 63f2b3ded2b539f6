"""Quantiles and tails of the few distributions the statistics rest on; scipy is loaded at the first call only."""


def load() -> None:
    """Else done by the first call."""
    import scipy.special  # noqa: F401


def beta_quantile(share: float, a: float, b: float) -> float:
    """The value below which Beta(a, b) holds this share."""
    from scipy.special import betaincinv

    return float(betaincinv(a, b, share))


def student_quantile(share: float, freedom: float) -> float:
    """The value below which Student's t with so many degrees of freedom holds this share."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share))


def student_below(value: float, freedom: float) -> float:
    """The share of Student's t below a value."""
    from scipy.special import stdtr

    return float(stdtr(freedom, value))


def coin_at_most(heads: int, tosses: int) -> float:
    """The chance of at most so many heads in tosses of a fair coin."""
    from scipy.special import bdtr

    return float(bdtr(heads, tosses, 0.5))
