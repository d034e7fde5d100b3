"""Lists the contents of a wheel as a CycloneDX document: ``python -m tools.sbom OUT.cdx.json``.

The crates are those in the extension module for this system, with the checksums of ``Cargo.lock``,
without proc macros and without what only build scripts need. The Python packages are those that pip
installs with the wheel, in the versions with which the tests ran.

The same sources give the same bytes: the time is that of ``SOURCE_DATE_EPOCH``, and the serial
number follows from the contents. A document that does not fit the published schema is not written.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from tools import licences

ROOT = Path(__file__).parent.parent
BINDING = "airmile-python"
"""The crate that the wheel contains."""

SCHEMA = SchemaVersion.V1_6


def main(out: Path) -> int:
    """Write the document; print the fault if it does not fit the schema."""
    text = make_outputter(document(), OutputFormat.JSON, SCHEMA).output_as_string(indent=1)
    if fault := JsonStrictValidator(SCHEMA).validate_str(text):
        print(f"airmile: not CycloneDX: {fault}", file=sys.stderr)
        return 1
    out.parent.mkdir(exist_ok=True)
    out.write_text(text + "\n")
    print(f"airmile: {len(json.loads(text)['components'])} parts in {out}")
    return 0


def document() -> Bom:
    """Return the document about the wheel and the packages installed with it."""
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    wheel = part("pypi", "airmile", version, "Apache-2.0", kind=ComponentType.APPLICATION)
    parts = sorted([*crates(), *packages()], key=lambda found: str(found.purl))
    bom = Bom(components=parts)
    bom.metadata.component = wheel
    bom.metadata.timestamp = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    purls = " ".join(str(found.purl) for found in [wheel, *parts])
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, purls)
    bom.register_dependency(wheel, parts)
    return bom


def crates() -> Iterator[Component]:
    """Yield the crates of other projects in the extension module."""
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    checksums = {(found["name"], found["version"]): found.get("checksum") for found in locked}
    for name, version, licence in linked():
        if checksum := checksums[name, version]:
            yield part("cargo", name, version, licence, checksum)


def linked() -> set[tuple[str, str, str]]:
    """Return name, version and licence of each crate that cargo links on this system."""
    words = ["cargo", "tree", "--locked", "--package", BINDING, "--prefix", "none"]
    words += ["--edges", "normal,no-proc-macro", "--format", "{p}|{l}|"]
    lines = subprocess.check_output(words, cwd=ROOT, text=True).splitlines()
    named = ((line.split(" "), line.split("|")) for line in lines)
    return {
        (words[0], words[1].split("|")[0].removeprefix("v"), parts[1]) for words, parts in named
    }


def packages() -> Iterator[Component]:
    """Yield the Python packages that every user installs."""
    for found in licences.packages():
        if found.shipped:
            name, version = found.name.split(" ")
            yield part("pypi", name, version, found.licence)


def part(
    registry: str,
    name: str,
    version: str,
    licence: str,
    checksum: str | None = None,
    kind: ComponentType = ComponentType.LIBRARY,
) -> Component:
    """Return the entry of one crate or package."""
    purl = PackageURL(registry, None, name, version)
    return Component(
        type=kind,
        name=name,
        version=version,
        purl=purl,
        bom_ref=str(purl),
        licenses=[LicenseFactory().make_from_string(licence.replace("/", " OR "))],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=checksum)] if checksum else [],
    )


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
