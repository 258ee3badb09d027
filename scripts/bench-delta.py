#!/usr/bin/env python3
"""Files that were edited, pushed over an older version of themselves: FDT with --delta auto, off and always beside rsync 3 (daemon,
--no-whole-file) with and without --inplace. As root, with the emulator of FDT_WAN (benchmarks/README.md) for paths but loopback.
bench-delta.py FDT.JAR MEMORY RESULTS MIB ROUNDS 'EDITS...' 'PATHS...' 'TOOLS...'; adds to RESULTS/delta.md.
The slow path gets a quarter of MIB. The edit hdf5 needs h5py."""
import datetime
import filecmp
import os
import platform
import random
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

JAR, MEMORY, RESULTS, MIB, ROUNDS, EDITS, PATHS, TOOLS = sys.argv[1:]
JAR, MIB, ROUNDS, EDITS, PATHS, TOOLS = os.path.abspath(JAR), int(MIB), int(ROUNDS), EDITS.split(), PATHS.split(), TOOLS.split()
JAVA = str(Path(os.environ["JAVA_HOME"], "bin", "java")) if "JAVA_HOME" in os.environ else "java"
WAN, NAME, PAGE = shlex.split(os.environ.get("FDT_WAN", "")), "fdtdelta", 4096
LINKS = {"slow": ("100m", 30), "fast": ("1000m", 100), "loopback": None}
TICKS = os.sysconf("SC_CLK_TCK")


def slices(path, size):
    """Random bytes, of which no page is another one."""
    with open(path, "wb") as file:
        for _ in range(size >> 20):
            file.write(os.urandom(1 << 20))


def rewrite(path, share, page, change):
    """Changes a share of the pages of a file in place."""
    pages = os.path.getsize(path) // page
    with open(path, "r+b") as file:
        for number in sorted(random.sample(range(pages), max(1, int(pages * share)))):
            for at, length in change():
                file.seek(number * page + at)
                file.write(os.urandom(length))


def pages(old, new):
    """An image of a disk, 1 % of whose pages are written anew."""
    shutil.copyfile(old, new)
    rewrite(new, 0.01, PAGE, lambda: [(0, PAGE)])


def mysql(old, new):
    """Pages of 16 KiB, 2 % of which have another header, trailer and record."""
    shutil.copyfile(old, new)
    rewrite(new, 0.02, 4 * PAGE, lambda: [(16, 8), (random.randrange(40, 16000), 200), (4 * PAGE - 8, 8)])


def log(old, new):
    """5 % appended."""
    shutil.copyfile(old, new)
    with open(new, "ab") as file:
        file.write(os.urandom(os.path.getsize(old) // 20))


def tar(old, new):
    """A file of 5 MiB inserted near the front, and one in the middle removed."""
    size, members, at = os.path.getsize(old), [], 0
    while at < size:
        length = min(size - at, random.randrange(1 << 16, 16 << 20))
        members.append((f"file{len(members):05}", at, length))
        at += length
    base = old + ".base"
    os.rename(old, base)
    slices(base + ".inserted", 5 << 20)
    for target, isNew in ((old, False), (new, True)):
        with tarfile.open(target, "w") as archive, open(base, "rb") as data:
            for number, (name, start, length) in enumerate(members):
                if isNew and number == 2:
                    archive.add(base + ".inserted", "inserted")
                if not isNew or number != len(members) // 2:
                    info = tarfile.TarInfo(name)
                    info.size = length
                    data.seek(start)
                    archive.addfile(info, data)
    os.remove(base)
    os.remove(base + ".inserted")


def hdf5(old, new):
    """One of four data sets rewritten."""
    import h5py
    import numpy
    count = os.path.getsize(old) // 8 // 4
    with h5py.File(old, "w") as file:
        for number in range(4):
            file[f"set{number}"] = numpy.random.default_rng(number).random(count)
    shutil.copyfile(old, new)
    with h5py.File(new, "r+") as file:
        file["set1"][...] = numpy.random.default_rng(9).random(count)


def nothing(old, new):
    """Nothing shared."""
    slices(new, os.path.getsize(old))


def only_time(old, new):
    """Everything shared, but not the time."""
    shutil.copyfile(old, new)


ALL_EDITS = {"pages": pages, "log": log, "tar": tar, "hdf5": hdf5, "mysql": mysql, "nothing": nothing, "time": only_time}


def said(log_file, pattern, process):
    """The group of a pattern, once the output of a process has it."""
    until, text = time.monotonic() + 60, ""
    while time.monotonic() < until and process.poll() is None:
        text = log_file.read_text(errors="replace") if log_file.exists() else ""
        found = re.search(pattern, text)
        if found:
            return found.group(1)
        time.sleep(0.05)
    sys.exit(f"{process.args} never said {pattern}:\n{text}")


class Hosts:
    """Two hosts with a path between them: a sends, b receives."""

    def __init__(self, kind):
        self.kind = kind
        if LINKS[kind]:
            rate, rtt = LINKS[kind]
            subprocess.run([*WAN, "down", NAME], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            queue = int(rate[:-1]) * 125 * rtt
            up = [*WAN, "up", NAME, "--rate", rate, "--rtt", str(rtt), "--queue", str(max(queue, 256 << 10))]
            printed = subprocess.run(up, check=True, capture_output=True, text=True).stdout
            self.address = re.search(r"b=(\S+)", printed).group(1)
        else:
            self.alone = subprocess.Popen(["unshare", "-n", "sh", "-c", "ip link set lo up; exec sleep 3600"])
            self.address = "127.0.0.1"
            time.sleep(0.5)

    def on(self, side, *command):
        return [*WAN, "run", NAME, side, *command] if LINKS[self.kind] else ["nsenter", "-t", str(self.alone.pid), "-n", *command]

    def carried(self):
        """The bytes that the path has carried, both ways."""
        counters = subprocess.run(self.on("b", "cat", "/proc/net/dev"), check=True, capture_output=True, text=True).stdout
        rows = [line.split(":") for line in counters.splitlines()[2:]]
        wanted = [values.split() for name, values in rows if (name.strip() == "lo") == (LINKS[self.kind] is None)]
        return sum(int(row[0]) + (int(row[8]) if LINKS[self.kind] else 0) for row in wanted)

    def down(self):
        if LINKS[self.kind]:
            subprocess.run([*WAN, "down", NAME], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        else:
            self.alone.kill()
            self.alone.wait()


def cpu_of(process):
    """The processor seconds of a process, and of those that it started."""
    total = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == process.pid:  # its session
            total += sum(int(ticks) for ticks in fields[11:15])
    return total / TICKS


class Servers:
    """The servers of FDT and rsync on host b, both warm."""

    def __init__(self, path, work):
        self.path, self.work, self.started = path, work, []
        self.there = Path(work, "there")
        self.there.mkdir()

    def serve(self):
        path, work = self.path, self.work
        self.fdt_env = {**os.environ, "FDT_HOME": f"{work}/home"}
        self.fdt = self.start("fdt", [JAVA, "-jar", JAR, "serve", "--port", "0", "--bind", path.address, "--export", f"x={self.there}:rw"])
        self.port = said(Path(work, "fdt.log"), r"READY port=(\d+)", self.fdt)
        config = Path(work, "rsyncd.conf")
        config.write_text(f"use chroot = no\nuid = root\ngid = root\n[x]\npath = {self.there}\nread only = no\n")
        self.rsync = self.start("rsync", ["rsync", "--daemon", "--no-detach", "--port=8730", f"--config={config}",
                                          f"--log-file={work}/rsync.log2"])
        said(Path(work, "rsync.log2"), r"(rsyncd version)", self.rsync)

    def start(self, name, command):
        with open(Path(self.work, name + ".log"), "wb") as log_file:
            process = subprocess.Popen(self.path.on("b", *command), stdin=subprocess.DEVNULL, stdout=log_file, stderr=subprocess.STDOUT,
                                       env=self.fdt_env, start_new_session=True)
        self.started.append(process)
        return process

    def command(self, tool, file):
        if tool.startswith("rsync"):
            inplace = ["--inplace"] if tool == "rsync-inplace" else []
            return self.rsync, ["rsync", "-t", "--no-whole-file", *inplace, file, f"rsync://{self.path.address}:8730/x/file"]
        return self.fdt, [JAVA, "-jar", JAR, "copy", "--json", "--delta", tool, "--accept-new", "--token-file",
                          f"{self.work}/home/token", file, f"fdt://{self.path.address}:{self.port}/x/file"]

    def run(self, tool, file):
        """seconds, processor seconds of client and server, bytes on the path."""
        server, words = self.command(tool, file)
        carried, cpu, begin = self.path.carried(), cpu_of(server), time.monotonic()
        out = tempfile.TemporaryFile(dir=self.work)
        client = subprocess.Popen(self.path.on("a", *words), stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                  env=self.fdt_env)
        _, status, usage = os.wait4(client.pid, 0)
        seconds = time.monotonic() - begin
        client.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode(errors="replace")
        time.sleep(0.2)  # the daemon waits for its child
        if client.returncode or not filecmp.cmp(file, Path(self.there, "file"), shallow=False):
            sys.exit(f"{tool}: status {client.returncode}, or a wrong copy:\n{text[-2000:]}")
        return seconds, usage.ru_utime + usage.ru_stime, cpu_of(server) - cpu, self.path.carried() - carried

    def stop(self):
        for server in self.started:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait()


def measured(servers, old, new):
    """For each tool the medians of its rounds, in turn."""
    results = {tool: [] for tool in TOOLS}
    for _ in range(ROUNDS):
        for tool in TOOLS:
            shutil.copyfile(old, Path(servers.there, "file"))
            os.utime(Path(servers.there, "file"), (1, 1))
            results[tool].append(servers.run(tool, new))
    medians = {tool: [statistics.median(column) for column in zip(*rows)] for tool, rows in results.items()}
    ratios = {tool: [row[0] / off[0] for row, off in zip(rows, results.get("off", rows))] for tool, rows in results.items()}
    return medians, ratios


def main():
    if any(LINKS[path] for path in PATHS) and not WAN:
        sys.exit("FDT_WAN names no emulator of a path: see benchmarks/README.md")
    for directory in (MEMORY, RESULTS):
        Path(directory).mkdir(parents=True, exist_ok=True)
    revision = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
    lines = [f"Revision {revision}, {datetime.date.today()}, Linux {platform.release()}, {MIB} MiB ({MIB // 4} on the slow path), "
             f"{ROUNDS} rounds in turn: medians. CPU: client + server.", "",
             "| path | edit | tool | s | of off's, each round | CPU s | MiB on the path |", "|---|---|---|--:|--:|--:|--:|"]
    print("\n".join(lines), flush=True)
    random.seed(45)
    for kind in PATHS:
        work = tempfile.mkdtemp(prefix="bench-delta-", dir=MEMORY)
        path = Hosts(kind)
        try:
            servers = Servers(path, work)
            try:
                servers.serve()
                warm = f"{work}/warm"
                slices(warm, 64 << 20)
                servers.run("off", warm)
                os.remove(warm)
                for edit in EDITS:
                    old, new = f"{work}/old", f"{work}/new"
                    slices(old, (MIB // 4 if kind == "slow" else MIB) << 20)
                    try:
                        ALL_EDITS[edit](old, new)
                    except ModuleNotFoundError as missing:
                        print(f"without {edit}: {missing}", file=sys.stderr)
                        continue
                    medians, ratios = measured(servers, old, new)
                    for tool, (seconds, client, server, carried) in medians.items():
                        shares = ", ".join(f"{ratio:.2f}" for ratio in ratios[tool])
                        lines.append(f"| {kind} | {edit} | {tool} | {seconds:.1f} | {shares} | {client:.1f} + {server:.1f} | "
                                     f"{carried / 2**20:.1f} |")
                        print(lines[-1], flush=True)
            finally:
                servers.stop()
        finally:
            path.down()
            shutil.rmtree(work)
    with open(Path(RESULTS, "delta.md"), "a", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n\n")


main()
