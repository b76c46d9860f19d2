from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

os.environ["SSL_CERT_DIR"] = str(Path(__file__).parent)  # without certificates: no test speaks TLS, and to load those
os.environ.pop("SSL_CERT_FILE", None)  # of the system takes each client 50 ms

settings.register_profile(
    "default", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("default")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
