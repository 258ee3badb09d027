#!/usr/bin/env python3
"""Many small files over a long path: whole, and with a receiver that is killed at half of the time and started again; FDT beside
rsync, WDT and globus-url-copy if they are installed. As root, with the emulator of FDT_WAN (benchmarks/README.md).
bench-kill.py FDT.JAR MEMORY RESULTS FILES RTT 'TOOLS...'; writes RESULTS/kill.md."""
import datetime
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

JAR, MEMORY, RESULTS, FILES, RTT, TOOLS = sys.argv[1:]
JAR, FILES, RTT, TOOLS = os.path.abspath(JAR), int(FILES), int(RTT), TOOLS.split()
WAN = shlex.split(os.environ.get("FDT_WAN") or sys.exit("FDT_WAN names no emulator of a path: see benchmarks/README.md"))
JAVA = str(Path(os.environ["JAVA_HOME"], "bin", "java")) if "JAVA_HOME" in os.environ else "java"
BYTES, IN_EACH, NAME = 4096, 1000, "fdtkill"
QUEUE = 125_000 * RTT  # one bandwidth-delay product of 1 Gbit/s


class Process:
    """A program on a host of the path; its processor seconds are known once it has ended."""

    def __init__(self, work, side, command, **environment):
        self.log = open(Path(work, f"{time.monotonic_ns()}.log"), "w+b")
        self.process = subprocess.Popen([*WAN, "run", NAME, side, *command], stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=subprocess.STDOUT, env={**os.environ, **environment}, start_new_session=True)
        self.cpu = None

    def ended(self, timeout):
        """Its exit status, or None if it still runs after so many seconds."""
        until = time.monotonic() + timeout
        while self.cpu is None and time.monotonic() < until:
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if pid:
                self.cpu = usage.ru_utime + usage.ru_stime
                self.process.returncode = os.waitstatus_to_exitcode(status)
            else:
                time.sleep(0.02)
        return self.process.returncode if self.cpu is not None else None

    def kill(self, sent=signal.SIGKILL):
        if self.cpu is None:
            os.killpg(self.process.pid, sent)
            if self.ended(20) is None:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.ended(20)
        return self.cpu

    def said(self, pattern):
        """What its output has for the group of a pattern, once it has."""
        until = time.monotonic() + 60
        while time.monotonic() < until and self.ended(0.02) is None:
            found = re.search(pattern, self.text())
            if found:
                return found.group(1)
        sys.exit(f"{self.process.args} never said {pattern}:\n{self.text()}")

    def text(self):
        return Path(self.log.name).read_text(errors="replace")

    def await_port(self, port):
        """Waits until it listens; a connection would confuse servers of one client."""
        wanted = f":{port:04X} 0"
        until = time.monotonic() + 60
        while time.monotonic() < until and self.ended(0.02) is None:
            try:
                for table in ("tcp", "tcp6"):
                    lines = Path(f"/proc/{self.process.pid}/net/{table}").read_text().splitlines()
                    if any(wanted in line and " 0A " in line for line in lines):
                        return
            except OSError:
                pass  # it has ended
        sys.exit(f"{self.process.args} does not listen on port {port}:\n{self.text()}")


class Tool:
    """Starts its servers once; receive() starts all that ends with a transfer, the receiver first."""

    def __init__(self, work, source, copy, hosts):
        self.work, self.source, self.copy, (self.a, self.b) = work, source, copy, hosts
        self.servers = []

    def stop(self):
        return sum(server.kill(signal.SIGTERM) for server in self.servers)


class Fdt(Tool):
    needs = "java"

    def serve(self):
        self.home = {"FDT_HOME": f"{self.work}/home"}
        server = Process(self.work, "a", [JAVA, "-jar", JAR, "serve", "--port", "0", "--bind", self.a, "--export",
                                          f"x={self.source}"], **self.home)
        self.servers = [server]
        self.port = server.said(r"READY port=(\d+)")

    def receive(self):
        return [Process(self.work, "b", [JAVA, "-jar", JAR, "copy", "-r", "--quiet", "--accept-new", "--token-file",
                                         f"{self.work}/home/token", f"fdt://{self.a}:{self.port}/x/", f"{self.copy}/"], **self.home)]


class Rsync(Tool):
    needs = "rsync"

    def serve(self):
        config = Path(self.work, "rsyncd.conf")
        config.write_text(f"use chroot = no\nuid = root\ngid = root\n[x]\npath = {self.source}\nread only = yes\n")
        self.servers = [Process(self.work, "a", ["rsync", "--daemon", "--no-detach", "--port=8730", f"--config={config}"])]
        self.servers[0].await_port(8730)

    def receive(self):
        return [Process(self.work, "b", ["rsync", "-a", "-W", f"rsync://{self.a}:8730/x/", f"{self.copy}/"])]


class Wdt(Tool):
    needs = "wdt"

    def serve(self):
        pass

    def receive(self):
        both = ["-start_port", "22356", "-num_ports", "8", "-transfer_id", "kill", "-encryption_type", "none",
                "-enable_checksum", "-enable_download_resumption"]
        receiver = Process(self.work, "b", ["wdt", "-directory", self.copy, "-hostname", self.b, "-fsync=false", *both])
        receiver.await_port(22356)
        return [receiver, Process(self.work, "a", ["wdt", "-directory", self.source, "-destination", self.b, *both])]


class Globus(Tool):
    needs = "globus-url-copy"

    def serve(self):
        self.servers = [Process(self.work, "a", ["globus-gridftp-server", "-c", "/dev/null", "-aa", "-anonymous-user", "gftpanon",
                                                 "-p", "2811"])]
        self.servers[0].await_port(2811)

    def receive(self):
        return [Process(self.work, "b", ["globus-url-copy", "-cc", "8", "-pp", "-fast", "-r", "-cd", "-sync", "-sync-level", "1",
                                         f"ftp://{self.a}:2811{self.source}/", f"file://{self.copy}/"])]


KINDS = {"fdt": Fdt, "rsync": Rsync, "wdt": Wdt, "globus": Globus}


def carried():
    """The bytes that the path has carried to the receiver."""
    counters = subprocess.run([*WAN, "run", NAME, "b", "cat", "/proc/net/dev"], check=True, capture_output=True, text=True).stdout
    return sum(int(line.split()[1]) for line in counters.splitlines()[2:] if not line.strip().startswith("lo:"))


def finished(processes, timeout):
    """Whether all end with status 0 in time; they are killed otherwise."""
    until = time.monotonic() + timeout
    good = all(process.ended(max(0, until - time.monotonic())) == 0 for process in processes)
    for process in processes:
        process.kill()
    return good


def run(kind, hosts, source, parent, whole_seconds):
    """Seconds to the kill (None: not killed), seconds of what follows, processor seconds, bytes carried, and whether it is right."""
    work = tempfile.mkdtemp(prefix="run-", dir=parent)
    os.chmod(work, 0o755)
    copy = str(Path(work, "copy"))
    os.mkdir(copy)
    tool = kind(work, source, copy, hosts)
    try:
        tool.serve()
        before, killed, cpu = carried(), None, 0
        begin = time.monotonic()
        processes = tool.receive()
        if whole_seconds:
            time.sleep(whole_seconds / 2)
            killed = time.monotonic() - begin
            cpu += sum(process.kill() for process in processes)
            begin = time.monotonic()
            processes = tool.receive()
        good = finished(processes, 1800)
        seconds = time.monotonic() - begin
        cpu += sum(process.cpu for process in processes)
        if not good:
            print("\n".join(process.text()[-1500:] for process in processes), file=sys.stderr)
        good = good and subprocess.run(["diff", "-rq", "-x", ".*", source, copy], stdout=sys.stderr).returncode == 0
        return killed, seconds, cpu + tool.stop(), carried() - before, good
    finally:
        for server in tool.servers:
            server.kill()
        shutil.rmtree(work)


def tree(parent):
    source = Path(parent, "source")
    for directory in range(-(-FILES // IN_EACH)):
        Path(source, f"{directory:04}").mkdir(parents=True)
        for file in range(min(IN_EACH, FILES - directory * IN_EACH)):
            Path(source, f"{directory:04}", f"{file:03}").write_bytes(os.urandom(BYTES))
    return str(source)


def main():
    revision = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
    Path(MEMORY).mkdir(parents=True, exist_ok=True)
    Path(RESULTS).mkdir(parents=True, exist_ok=True)
    parent = tempfile.mkdtemp(prefix="bench-kill-", dir=MEMORY)
    os.chmod(parent, 0o755)  # globus-gridftp-server has a user of its own
    lines = [f"Revision {revision}, {datetime.date.today()}, Linux {platform.release()}: {FILES:,} files of 4 KiB over 1 Gbit/s and "
             f"{RTT} ms, memory to memory, one run. \"Killed\": the receiver is killed (SIGKILL) at half of the time of the whole run "
             "and started again; CPU: all processes of both ends.", "",
             "| tool | whole s | CPU s | bytes on the path / data | killed after s | then s | both / whole | CPU s "
             "| bytes on the path / data | copy is right |",
             "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|"]
    try:
        source = tree(parent)
        up = [*WAN, "up", NAME, "--rate", "1000m", "--rtt", str(RTT), "--queue", str(QUEUE)]
        subprocess.run([*WAN, "down", NAME], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        hosts = re.search(r"a=(\S+) b=(\S+)", subprocess.run(up, check=True, capture_output=True, text=True).stdout).groups()
        try:
            for name in TOOLS:
                kind = KINDS[name]
                if not shutil.which(kind.needs):
                    print(f"without {name}: {kind.needs} is not installed", file=sys.stderr)
                    continue
                _, whole, whole_cpu, whole_bytes, good = run(kind, hosts, source, parent, None)
                killed, then, cpu, killed_bytes, right = run(kind, hosts, source, parent, whole)
                lines.append(f"| {name} | {whole:.1f} | {whole_cpu:.1f} | {whole_bytes / (FILES * BYTES):.2f} | {killed:.1f} | {then:.1f} "
                             f"| {(killed + then) / whole:.2f} | {cpu:.1f} | {killed_bytes / (FILES * BYTES):.2f} "
                             f"| {'yes' if good and right else 'no'} |")
                print(lines[-1], flush=True)
        finally:
            subprocess.run([*WAN, "down", NAME], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    finally:
        shutil.rmtree(parent)
    Path(RESULTS, "kill.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


main()
