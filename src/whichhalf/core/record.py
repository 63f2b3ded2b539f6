"""The common form of everything that is read from or written to a file."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Frozen, refuses unknown keys, NaN and infinities."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=False)
