#!/usr/bin/env python3
"""Puts and gets of FDT, s5cmd, rclone and aws-cli with one versitygw on this machine.

compare-s3.py JAR [BYTES of the large file] [KIND,...]   (make compare-s3)

Each tool copies each kind of data into a bucket and back with its default settings. Every get is
compared with the source. The start is the time for a file of one byte; rates are without it.
"""
import collections, math, os, random, shutil, signal, socket, subprocess, sys, tempfile, time

jar = os.path.abspath(sys.argv[1])
large = int(sys.argv[2]) if len(sys.argv) > 2 else 4 << 30
kinds = sys.argv[3].split(",") if len(sys.argv) > 3 else ["large", "small", "mixed"]
rounds = int(os.environ.get("ROUNDS", 1))
only = os.environ.get("TOOLS", "fdt,s5cmd,rclone,aws").split(",")
DEADLINE = 180  # seconds for one copy
ALL = 660  # seconds for all; copies that would begin later are left out
place = tempfile.mkdtemp(prefix="fdt-compare-s3-", dir=os.environ.get("PLACE", "/dev/shm"))
path = os.environ["PATH"] + ":" + os.path.expanduser("~/go/bin")
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
url = f"http://127.0.0.1:{port}"
environment = {
    **{k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "RCLONE_", "FDT_"))},
    "PATH": path, "HOME": place + "/home", "FDT_HOME": place + "/home",
    "AWS_ENDPOINT_URL": url, "S3_ENDPOINT_URL": url, "AWS_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s",
    "RCLONE_CONFIG_S_TYPE": "s3", "RCLONE_CONFIG_S_PROVIDER": "Other",
    "RCLONE_CONFIG_S_ENV_AUTH": "true", "RCLONE_CONFIG_S_ENDPOINT": url,
    "RCLONE_CONFIG_S_REGION": "us-east-1", "RCLONE_CONFIG_S_NO_CHECK_BUCKET": "true",
}
fdt = ["java", "-jar", jar, "copy", "-r"]
# Into the bucket, and back into an empty directory.
TOOLS = {
    "fdt": (lambda s, b: fdt + [s + "/", f"s3://{b}/"], lambda b, d: fdt + [f"s3://{b}/", d + "/"]),
    "s5cmd": (lambda s, b: ["s5cmd", "cp", s + "/", f"s3://{b}/"],
              lambda b, d: ["s5cmd", "cp", f"s3://{b}/*", d + "/"]),
    "rclone": (lambda s, b: ["rclone", "copy", s, "S:" + b], lambda b, d: ["rclone", "copy", "S:" + b, d]),
    "aws": (lambda s, b: ["aws", "s3", "cp", "--quiet", "--recursive", s, f"s3://{b}/"],
            lambda b, d: ["aws", "s3", "cp", "--quiet", "--recursive", f"s3://{b}/", d]),
}


def make(kind):
    top = f"{place}/{kind}"
    os.makedirs(top)
    chance = random.Random(kind)
    block = chance.randbytes(64 << 20)

    def file(name, size):
        os.makedirs(os.path.dirname(f"{top}/{name}"), exist_ok=True)
        with open(f"{top}/{name}", "wb") as out:
            while size > 0:
                start = chance.randrange(len(block) // 2)
                out.write(block[start:start + size])
                size -= len(block) - start

    if kind in ("start", "large"):
        file("file", 1 if kind == "start" else large)
    elif kind == "small":
        for i in range(20000):
            file(f"{i // 100:03}/{i % 100:02}", chance.randrange(16385))
    else:
        for i in range(3000):
            file(f"{i // 50:02}/{i % 50:02}", int(min(chance.lognormvariate(11.5, 2), 512 << 20)))
    return top


def run(command):
    with open(place + "/out", "wb") as out:
        began = time.monotonic()
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=out, start_new_session=True)
        signal.alarm(DEADLINE)
        try:
            _, status, used = os.wait4(process.pid, 0)
        except TimeoutError:
            os.killpg(process.pid, signal.SIGKILL)
            os.wait4(process.pid, 0)
            return None, f"not done after {DEADLINE} s"
        finally:
            signal.alarm(0)
    if status:
        with open(place + "/out") as out:
            return None, "failed: " + (out.read().strip().splitlines() or ["without a word"])[-1][:80]
    return (time.monotonic() - began, used.ru_utime + used.ru_stime), None


def late(*_):
    raise TimeoutError


def compare():
    began = time.monotonic()
    figures = collections.defaultdict(list)
    failures = {}
    sizes = {}
    tools = [tool for tool in only if shutil.which("java" if tool == "fdt" else tool, path=path)]
    for tool in set(only) - set(tools):
        print(f"without {tool}, which is not installed", file=sys.stderr)
    for number, kind in enumerate(["start"] + kinds):
        source = make(kind)
        sizes[kind] = sum(os.path.getsize(os.path.join(d, f)) for d, _, fs in os.walk(source) for f in fs)
        # The first runs make FDT's archive of classes, as an installed one has it.
        for turn in range(-2 if kind == "start" else 0, rounds):
            for tool in tools:
                put, get = TOOLS[tool]
                bucket, back = f"b{number}-{turn}-{tool}", place + "/back"
                os.mkdir(f"{place}/data/{bucket}")
                os.mkdir(back)
                for what, command in (("put", put(source, bucket)), ("get", get(bucket, back))):
                    if (kind, tool, what) in failures:
                        continue
                    if time.monotonic() - began > ALL:
                        failures.setdefault((kind, tool, what), "out of time")
                        break
                    used, failure = run(command)
                    if not failure and what == "get":
                        differ = subprocess.run(["diff", "-rq", source, back], capture_output=True, text=True)
                        failure = differ.stdout.strip().splitlines()[0] if differ.returncode else None
                    if failure:
                        failures[kind, tool, what] = failure
                        break
                    if turn < 0:
                        continue
                    figures[kind, tool, what].append(used)
                    print(f"{kind} {what} {tool}: {used[0]:.2f} s, {used[1]:.2f} s of processor", file=sys.stderr)
                shutil.rmtree(back)
                shutil.rmtree(f"{place}/data/{bucket}")
        shutil.rmtree(source)

    def best(kind, tool, what, figure):
        return min((used[figure] for used in figures[kind, tool, what]), default=math.nan)

    print(f"\nversitygw on this machine; best of {rounds} rounds; rates without the start\n")
    print("| data | | tool | start s | wall s | MB/s | of the fastest | processor s | without the start |")
    print("|---|---|---|--:|--:|--:|--:|--:|--:|")
    for kind in kinds:
        for what in ("put", "get"):
            left = {t: max(best(kind, t, what, 0) - best("start", t, what, 0), 1e-3) for t in tools}
            fastest = min((s for s in left.values() if not math.isnan(s)), default=math.nan)
            for tool in tools:
                if math.isnan(left[tool]):
                    reason = failures.get((kind, tool, what)) or "not tried"
                    print(f"| {kind} | {what} | {tool} | {reason} | | | | | |")
                    continue
                start, processor = best("start", tool, what, 0), best(kind, tool, what, 1)
                print(f"| {kind} | {what} | {tool} | {start:.2f} | {best(kind, tool, what, 0):.2f} "
                      f"| {sizes[kind] / left[tool] / 1e6:.0f} | {fastest / left[tool]:.2f} "
                      f"| {processor:.2f} | {processor - best('start', tool, what, 1):.2f} |")


signal.signal(signal.SIGALRM, late)
signal.signal(signal.SIGTERM, lambda *_: sys.exit("compare-s3: ended"))
store = None
try:
    for directory in ("data", "side", "home"):
        os.mkdir(f"{place}/{directory}")
    with open(place + "/store", "wb") as log:
        store = subprocess.Popen(
            ["versitygw", "--access=k", "--secret=s", f"--port=127.0.0.1:{port}", "--quiet", "--keep-alive",
             "posix", f"--sidecar={place}/side", place + "/data"],
            env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except ConnectionRefusedError:
            if store.poll() is not None:
                sys.exit("compare-s3: " + open(place + "/store").read())
            time.sleep(0.05)
    compare()
finally:
    if store:
        store.kill()
        store.wait()
    shutil.rmtree(place)
