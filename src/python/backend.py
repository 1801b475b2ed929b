"""Builds the wheel of this directory with the standard library alone, so that pip needs no network and no setuptools
(the hooks are those of PEP 517 and PEP 660; the project's data are those of pyproject.toml)."""

import base64
import hashlib
import pathlib
import re
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TAG = "py3-none-any"


def _value(key):
    """A text or a list of texts of pyproject.toml, whose lines are `key = value`; Python has a reader since 3.11 only."""
    found = re.search(rf"^{key} = (.*)$", (HERE / "pyproject.toml").read_text(), re.MULTILINE)[1]
    texts = re.findall(r'"([^"]*)"', found)
    return texts if found.startswith("[") else texts[0]


def _write(directory, files):
    distribution = f"{_value('name').replace('-', '_')}-{_value('version')}"
    info = f"{distribution}.dist-info"
    metadata = ["Metadata-Version: 2.1", f"Name: {_value('name')}", f"Version: {_value('version')}",
                f"Summary: {_value('description')}", f"Requires-Python: {_value('requires-python')}", "License: BSD-3-Clause",
                *(f"Requires-Dist: {name}" for name in _value("dependencies")), "Provides-Extra: figures",
                *(f'Requires-Dist: {name}; extra == "figures"' for name in _value("figures"))]
    files = {**files, f"{info}/METADATA": "\n".join([*metadata, ""]).encode(),
             f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: casimir\nRoot-Is-Purelib: true\nTag: {TAG}\n".encode()}
    record, name = [], f"{distribution}-{TAG}.whl"
    with zipfile.ZipFile(pathlib.Path(directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(content)}")
            wheel.writestr(path, content)
        wheel.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,"]) + "\n")
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517."""
    kinds = (".py", ".mplstyle", ".html")
    return _write(wheel_directory, {str(p.relative_to(HERE)): p.read_bytes() for p in sorted((HERE / "casimir").rglob("*"))
                                    if p.suffix in kinds})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 660: a file that names this directory."""
    return _write(wheel_directory, {"casimir_results.pth": f"{HERE}\n".encode()})
