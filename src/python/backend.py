"""Builds the wheel of this directory with the standard library alone, so that pip needs no network and no setuptools
(the hooks are those of PEP 517 and PEP 660; the project's data are those of pyproject.toml)."""

import base64
import configparser
import hashlib
import json
import pathlib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TAG = "py3-none-any"


def _write(directory, files):
    toml = configparser.ConfigParser()  # reads the lines of pyproject.toml; Python has a reader of TOML since 3.11 only
    toml.read(HERE / "pyproject.toml")
    project, figures = toml["project"], json.loads(toml["project.optional-dependencies"]["figures"])
    name, version, summary, python, needs = (json.loads(project[key]) for key in (
        "name", "version", "description", "requires-python", "dependencies"))
    distribution = f"{name.replace('-', '_')}-{version}"
    info, wheel = f"{distribution}.dist-info", f"{distribution}-{TAG}.whl"
    metadata = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", f"Summary: {summary}",
                f"Requires-Python: {python}", "License: BSD-3-Clause",
                *(f"Requires-Dist: {one}" for one in needs), "Provides-Extra: figures",
                *(f'Requires-Dist: {one}; extra == "figures"' for one in figures)]
    files = {**files, f"{info}/METADATA": "\n".join([*metadata, ""]).encode(),
             f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: casimir\nRoot-Is-Purelib: true\nTag: {TAG}\n".encode()}
    digests = {path: base64.urlsafe_b64encode(hashlib.sha256(content).digest()) for path, content in files.items()}
    record = [f"{path},sha256={digest.rstrip(b'=').decode()},{len(files[path])}" for path, digest in digests.items()]
    with zipfile.ZipFile(pathlib.Path(directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in {**files, f"{info}/RECORD": "\n".join([*record, f"{info}/RECORD,,\n"])}.items():
            archive.writestr(path, content)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517."""
    kinds = (".py", ".mplstyle", ".html")
    return _write(wheel_directory, {str(p.relative_to(HERE)): p.read_bytes() for p in sorted((HERE / "casimir").rglob("*"))
                                    if p.suffix in kinds})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 660: a file that names this directory."""
    return _write(wheel_directory, {"casimir_results.pth": f"{HERE}\n".encode()})
