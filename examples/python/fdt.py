"""Drives the command fdt by its JSON: needs Python 3.8 or later and nothing else.

    import fdt
    for event in fdt.run("ls", "storage1:/data"):
        print(event["path"], event["size"])

The schemas of the events are in docs/: json-events.schema.json (copy, sync, watch, attach),
json-files.schema.json (ls, stat, mkdir, rename, rm, checksum, du), json-doctor.schema.json (doctor)
and json-commands.schema.json (all others).
"""

import json
import os
import shlex
import subprocess
import sys
import time

# How the command is started, for example: FDT_COMMAND="java -jar /opt/fdt/fdt.jar"
COMMAND = shlex.split(os.environ.get("FDT_COMMAND", "fdt"))


class FdtError(Exception):
    """A command that has failed: its exit status, its errors, and whether a later try can succeed."""

    def __init__(self, status, errors):
        super().__init__("; ".join(e["message"] for e in errors) or "exit status %d" % status)
        self.status = status
        self.errors = errors
        self.can_retry = bool(errors) and all(e["retry"] for e in errors)


def run(*words):
    """Yields the events of a command as they come, but for the last one; raises FdtError."""
    subcommand, rest = words[0], words[1:]
    errors = []
    summary = None
    with subprocess.Popen(
        [*COMMAND, subcommand, "--json", *rest],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        for line in process.stdout:
            event = json.loads(line)
            if event["event"] == "summary":
                summary = event
                continue
            if event["event"] in ("error", "problem") or event.get("fate") == "failed":
                errors.append(event)
            yield event
    if process.returncode != 0 or summary is None:
        raise FdtError(process.returncode, errors)


def copy(source, destination, *options, tries=3, pause_seconds=5):
    """Copies a tree; the same again while that can help, which continues it. Returns the names."""
    for attempt in range(1, tries + 1):
        done = []
        try:
            for event in run("copy", "-r", *options, source, destination):
                if event["event"] == "file" and event["fate"] in ("done", "unchanged"):
                    done.append(event["path"])
                elif event["event"] == "progress":
                    print("%d bytes" % event["bytes_done"], file=sys.stderr)
            return done
        except FdtError as e:
            if not e.can_retry or attempt == tries:
                raise
            print("%s: again in %d s" % (e, pause_seconds), file=sys.stderr)
            time.sleep(pause_seconds)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: fdt.py SOURCE DEST")
    source, destination = sys.argv[1:]
    try:
        names = copy(source, destination)
    except FdtError as e:
        for error in e.errors:
            print("%s: %s" % (error["code"], error["message"]), file=sys.stderr)
        sys.exit(e.status)
    for name in sorted(names):
        print(name)


if __name__ == "__main__":
    main()
