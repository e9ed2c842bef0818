"""The notes of the people one follows: fan-out writes, an inbox per reader holds, SQL fills the gaps."""
