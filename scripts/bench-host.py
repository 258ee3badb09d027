#!/usr/bin/env python3
"""Rates of copies between two processes of this host: from memory to memory, and from disk to disk; by streams and
processors, with and without --direct-io and --affinity, beside iperf3, cp, fio, rsync and rclone if they are installed.
bench-host.py FDT.JAR MEMORY DISK RESULTS MIB ROUNDS 'STREAMS...'; writes RESULTS/host.md, for plot-rates.py."""
import datetime
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

JAR, MEMORY, DISK, RESULTS, MIB, ROUNDS, STREAMS = sys.argv[1:]
MIB, ROUNDS, STREAMS = int(MIB), int(ROUNDS), STREAMS.split()
JAVA = str(Path(os.environ["JAVA_HOME"], "bin", "java")) if "JAVA_HOME" in os.environ else "java"
ALLOWED = sorted(os.sched_getaffinity(0))


def count(number, what):
    return f"{number} {what}" if int(number) == 1 else f"{number} {what}s"


def fdt(*words):
    return [JAVA, "-jar", JAR, *words]


def measured(run, processors):
    """Wall and processor seconds of a run, with all processes that it waits for, on some processors of this host."""
    os.sched_setaffinity(0, processors)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        wall = run()
    finally:
        os.sched_setaffinity(0, ALLOWED)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def timed(command):
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def copied(directory, options):
    """A copy from one process to another; the server's start does not count as wall time."""
    target = Path(directory, "copy")
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    affinity = options[options.index("--affinity"):][:2] if "--affinity" in options else []
    words = ["serve", "--port", "0", "--bind", "127.0.0.1", "-S", *affinity, "--export", f"copy={target}:rw"]
    with subprocess.Popen(fdt(*words), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            port = next(line for line in server.stdout if line.startswith("READY port=")).strip().partition("=")[2]
            return timed(fdt("copy", "--quiet", *options, f"{directory}/source", f"fdt://127.0.0.1:{port}/copy/"))
        except BaseException:
            server.kill()
            raise


def by_program(directory, command):
    target = Path(directory, "copy")
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    return timed([word.format(source=f"{directory}/source", target=target) for word in command])


def by_iperf3(streams):
    """The seconds that iperf3 takes for as many bytes."""
    with subprocess.Popen(["iperf3", "-s", "-1", "-B", "127.0.0.1", "--forceflush"], stdout=subprocess.PIPE, text=True) as server:
        for line in server.stdout:
            if "listening" in line:
                break
        command = ["iperf3", "-c", "127.0.0.1", "-P", streams, "-n", f"{MIB // int(streams)}M", "-J"]
        result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return MIB * 2**20 * 8 / result["end"]["sum_received"]["bits_per_second"]


def by_fio(directory, kind):
    command = ["fio", "--name=fdt", f"--filename={directory}/fio", f"--rw={kind}", "--bs=1M", f"--size={MIB}M", "--direct=1",
               "--ioengine=psync", "--output-format=json"]
    job = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["jobs"][0]
    return job[kind]["runtime"] / 1000


def runs(memory, disk):
    """Each run: the case, its name, its processors, and what takes the time."""
    programs = {"cp": ["cp", "{source}", "{target}/"], "rsync": ["rsync", "--whole-file", "{source}", "{target}/"],
                "rclone": ["rclone", "copy", "--ignore-times", "{source}", "{target}/"]}
    for case, directory in (("memory to memory", memory), ("disk to disk", disk)):
        most = STREAMS[-1]

        def own(name, options, processors=ALLOWED, where=directory):
            return case, f"fdt, {name}", processors, lambda: copied(where, options)

        for streams in STREAMS:
            yield own(count(streams, "stream"), ["-P", streams])
        for some in {1, len(ALLOWED) // 2} - {0, len(ALLOWED)}:
            yield own(f"{count(most, 'stream')}, {count(some, 'processor')}", ["-P", most], ALLOWED[:some])
        yield own(f"{count(most, 'stream')}, affinity off", ["-P", most, "--affinity", "off"])
        if case.startswith("disk"):
            for way in ("on", "off"):
                yield own(f"{count(most, 'stream')}, direct I/O {way}", ["-P", most, "--direct-io", way])
        for name, command in programs.items():
            if shutil.which(name):
                yield case, name, ALLOWED, lambda command=command, where=directory: by_program(where, command)
        if shutil.which("iperf3") and case.startswith("memory"):
            for streams in STREAMS:
                yield case, f"iperf3, {count(streams, 'stream')}", ALLOWED, lambda streams=streams: by_iperf3(streams)
        if shutil.which("fio") and case.startswith("disk"):
            for kind in ("read", "write"):
                yield case, f"fio, {kind} only", ALLOWED, lambda kind=kind, where=directory: by_fio(where, kind)


def prepared(parent):
    """A new directory with a source."""
    Path(parent).mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(parent).free < 3 * MIB * 2**20:
        sys.exit(f"'{parent}' has no room for {3 * MIB} MiB: choose less with MIB=, or another place with DIRECTORY= or DISK=")
    directory = tempfile.mkdtemp(prefix="bench-host-", dir=parent)
    with open(Path(directory, "source"), "wb") as out:
        for _ in range(MIB):
            out.write(os.urandom(2**20))
        os.fsync(out.fileno())
    return directory


def report(seconds):
    nodes = subprocess.run(fdt("doctor"), capture_output=True, text=True).stdout
    Path(RESULTS).mkdir(parents=True, exist_ok=True)
    with open(Path(RESULTS, "host.md"), "w", encoding="utf-8") as out:
        out.write(f"## Rates of one host\n\n{datetime.date.today()}, Linux {platform.release()}, {len(ALLOWED)} processors, "
                  f"medians of {ROUNDS}; nothing is synced; s: wall time of the client; CPU: both ends.\n\n"
                  "| case | tool | s | MiB/s | CPU s/GiB |\n|---|---|--:|--:|--:|\n")
        for (case, name), all_runs in seconds.items():
            wall, cpu = (statistics.median(values) for values in zip(*all_runs))
            out.write(f"| {case} | {name} | {wall:.2f} | {MIB / wall:.0f} | {cpu * 1024 / MIB:.2f} |\n")
        out.write(f"\n```\n{nodes}```\n")


def main():
    directories, seconds = [], {}
    try:
        for parent in (MEMORY, DISK):
            directories.append(prepared(parent))
        for _ in range(ROUNDS):
            for case, name, processors, run in runs(*directories):
                wall, cpu = measured(run, processors)
                seconds.setdefault((f"{case}, {MIB} MiB", name), []).append((wall, cpu))
                print(f"{case:18}{name:40}{wall:8.2f} s{MIB / wall:10,.0f} MiB/s{cpu * 1024 / MIB:8.2f} CPU s/GiB", flush=True)
    finally:
        for directory in directories:
            shutil.rmtree(directory)
    report(seconds)


main()
