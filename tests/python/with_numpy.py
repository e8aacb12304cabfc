"""Goes on in a Python that has numpy: this one, or what ADAPTER_PYTHON names. To be imported before anything that needs it."""

import os
import subprocess
import sys

if subprocess.run([sys.executable, "-c", "import numpy"], check=False, stderr=subprocess.DEVNULL).returncode:
    for other in (os.environ.get("ADAPTER_PYTHON"), "/usr/bin/python3"):
        if other and other != sys.executable and not subprocess.run([other, "-c", "import numpy, sys; sys.exit(sys.version_info < (3, 9))"],
                                                                    check=False, stderr=subprocess.DEVNULL).returncode:
            os.execv(other, [other, *sys.orig_argv[1:]])
    print("SKIPPED: no Python here has numpy; ADAPTER_PYTHON names one that does")
    sys.exit(77)
