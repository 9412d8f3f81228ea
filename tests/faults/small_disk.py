"""A small file system that a test can fill or make read-only."""

from __future__ import annotations

import subprocess

import pytest


@pytest.fixture
def mounted(tmp_path):
    """Mount a small file system in memory; its options can be changed while it is there."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(options):
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, check=False
        )
        if done.returncode:
            pytest.skip("file systems cannot be mounted here (only root can)")
        return folder

    yield mount
    if folder.is_mount():
        subprocess.run(["umount", folder], check=True)
