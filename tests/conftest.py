"""Settings that every test shares."""

from __future__ import annotations

import os
import signal
import sys

from hypothesis import HealthCheck, settings

# Tests run in several processes already: threads of one would only wait for cores of others.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# Tests start hundreds of processes: without bytecode each compiles all of comraf, for 0.4 s.
# Files of tests are kept compiled as well: to look at each of their asserts anew takes 7 s.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# No deadline: the first call of a kernel compiles it, and machines are shared.
settings.register_profile(
    "local", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
# The same examples every time: a red build must be about the change that made it red.
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, print_blob=True)
settings.register_profile("thorough", settings.get_profile("local"), max_examples=2000)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "local")
)

# Where tests run in the background of a shell, Ctrl-C is ignored by them and by every program
# they start. Tests that press it need it heard; a handler here is a plain default in children.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
