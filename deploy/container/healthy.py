"""Exit code 0 if the web process of this container answers that it lives."""

import os
import sys
import urllib.request

url = f"http://127.0.0.1:{os.environ['PORT']}/healthz"
# No proxy of the environment stands between.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
with opener.open(url, timeout=2) as answer:
    sys.exit(answer.status != 200)
