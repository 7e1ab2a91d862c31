import sys
from pathlib import Path

# As a user's own folder is on the path: `own_methods:Walk`.
sys.path.insert(0, str(Path(__file__).parent))
