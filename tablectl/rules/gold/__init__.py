"""What 福州麻将 and 福建麻将 share: hands of 16 tiles, the gold 金, opening flowers in rounds, the reserve of the wall.

`GoldRules` is the base of both. Paragraphs: docs/rules/fuzhou.md and docs/rules/fujian.md; where their numbers differ
both are named.
"""

from tablectl.rules.gold.hand import GoldHand, Judged
from tablectl.rules.gold.options import GoldOptions
from tablectl.rules.gold.rules import GoldRules

__all__ = ["GoldHand", "GoldOptions", "GoldRules", "Judged"]
