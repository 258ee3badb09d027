package io.fdt.core.tuning;

import io.fdt.core.error.Setting;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.unit.NumberText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Checks the limits of a host for obstacles to transfers. Stateless. */
public final class HostCheckup {
  /**
   * 32 MiB of blocks, 1 MiB for each of 4 streams, and one allocation chunk of 16 MiB; rounded up.
   */
  private static final long LEAST_BLOCK_BYTES = 64L << 20;

  /** The heap of a small JVM, its code, and twice the blocks of a transfer. */
  private static final long LEAST_FREE_BYTES = 256L << 20;

  /** The open files of a transfer with 16 streams, its directories and disks, at least. */
  private static final long LEAST_OPEN_FILES = 128;

  /** The open files of a server at its limits. */
  private static final long SERVER_OPEN_FILES = 4096;

  /** ESnet's recommended maximum of a buffer on a host for long-distance transfers. */
  private static final long LONG_PATH_BUFFER = 32L << 20;

  /** The round trip for the report of a window, unless the user gives one. */
  private static final Duration LONG_PATH = Duration.ofMillis(100);

  /** The round trip from which on an idle stream takes long to reach its rate again. */
  private static final Duration SLOW_START_MATTERS = Duration.ofMillis(20);

  private static final Set<String> FAIR_QUEUES = Set.of("fq", "fq_codel", "cake");

  /** The buffer size requested for UDP data sockets. */
  private static final long DATAGRAM_BUFFER = 16 << 20;

  private final HostLimits host;
  private final Optional<PathGoal> goal;
  private final List<Finding> findings = new ArrayList<>();

  private HostCheckup(HostLimits host, Optional<PathGoal> goal) {
    this.host = host;
    this.goal = goal;
  }

  /**
   * The findings about a host.
   *
   * @param goal the rate and round trip to support; if empty, ESnet's advice is the criterion
   */
  public static List<Finding> of(HostLimits host, Optional<PathGoal> goal) {
    HostCheckup checkup = new HostCheckup(host, goal);
    checkup.program();
    checkup.memory();
    checkup.openFiles();
    for (Side side : Side.values()) {
      checkup.buffer(side);
    }
    checkup.congestionControl();
    checkup.switches();
    checkup.queue();
    checkup.datagrams();
    return List.copyOf(checkup.findings);
  }

  private void program() {
    findings.add(Finding.ok("java", host.program().java()));
    findings.add(
        host.processors() > 1
            ? Finding.ok("processors", Integer.toString(host.processors()))
            : Finding.better(
                "processors", "only one: reading, checksums and sending share it; two are better"));
    findings.add(
        host.program().epoll()
            ? Finding.ok("sockets", "epoll")
            : Finding.better(
                "sockets",
                "Java's own: the limit of a stream is not visible, and "
                    + Setting.TUNE_STREAMS
                    + " knows less; Linux on x86-64 and aarch64 has epoll, unless the temporary"
                    + " directory forbids to execute (-Dio.netty.native.workdir=DIR)"));
    findings.add(
        host.program().boringSsl()
            ? Finding.ok("encryption", "BoringSSL")
            : Finding.better(
                "encryption",
                "Java's own: " + Setting.ENCRYPTION + " costs about twice the processor time"));
  }

  private void memory() {
    ByteSize blocks = ByteSize.ofBytes(host.program().memoryBytes());
    if (blocks.bytes() < LEAST_BLOCK_BYTES) {
      findings.add(
          Finding.problem(
              "memory",
              "Java may use %s, and a transfer needs %s: start it with java -Xmx256m or more"
                  .formatted(blocks, ByteSize.ofBytes(LEAST_BLOCK_BYTES))));
    } else if (host.freeBytes() > 0 && host.freeBytes() < LEAST_FREE_BYTES) {
      findings.add(
          Finding.better(
              "memory",
              "only %s of %s are free; a transfer is better off with %s"
                  .formatted(
                      ByteSize.ofBytes(host.freeBytes()),
                      ByteSize.ofBytes(host.memoryBytes()),
                      ByteSize.ofBytes(LEAST_FREE_BYTES))));
    } else {
      findings.add(
          Finding.ok(
              "memory",
              host.memoryBytes() == 0
                  ? "Java may use " + blocks
                  : "%s free of %s; Java may use %s"
                      .formatted(
                          ByteSize.ofBytes(host.freeBytes()),
                          ByteSize.ofBytes(host.memoryBytes()),
                          blocks)));
    }
  }

  private void openFiles() {
    long most = host.openFiles();
    if (most == 0) {
      findings.add(Finding.ok("open files", "the limit is not known"));
    } else if (most < LEAST_OPEN_FILES) {
      findings.add(
          Finding.problem(
              "open files", "at most %d, too few for a transfer: ulimit -n 4096".formatted(most)));
    } else if (most < SERVER_OPEN_FILES) {
      findings.add(
          Finding.better(
              "open files",
              "at most %d: enough for a client; a server with many clients needs ulimit -n 4096"
                  .formatted(most)));
    } else {
      findings.add(Finding.ok("open files", "at most " + most));
    }
  }

  private void buffer(Side side) {
    OptionalLong window = side.window(host);
    if (window.isEmpty()) {
      findings.add(unknown(side.bufferText(), side.setting()));
      return;
    }
    findings.add(goal.isPresent() ? bufferFor(side, goal.get()) : bufferForAny(side));
  }

  private static Finding buffer(Side side, String text, List<String> lines) {
    return lines.isEmpty()
        ? Finding.ok(side.bufferText(), text)
        : Finding.better(side.bufferText(), text, lines.toArray(String[]::new));
  }

  private Finding bufferFor(Side side, PathGoal wanted) {
    long window = side.window(host).orElseThrow();
    long streams = Side.streams(window, wanted.bytesUnderWay());
    String text = "one stream has at most " + side.windowText(host) + " under way";
    if (streams == 1) {
      return buffer(side, text + ", enough for " + wanted.text(), List.of());
    }
    String remedy =
        streams <= Advice.MOST_STREAMS
            ? "%d streams (%s), or a larger buffer"
                .formatted(streams, Setting.STREAMS.with(streams))
            : "a larger buffer: even %d streams, the most there are, carry %s"
                .formatted(
                    Advice.MOST_STREAMS, carried(Advice.MOST_STREAMS * window, wanted.roundTrip()));
    return buffer(
        side,
        "%s, which carries %s; %s takes %s"
            .formatted(text, carried(window, wanted.roundTrip()), wanted.text(), remedy),
        side.lines(host, wanted.bytesUnderWay()));
  }

  /** The finding about a buffer without a goal. */
  private Finding bufferForAny(Side side) {
    boolean isSmall = host.most(side.setting()).orElseThrow() < LONG_PATH_BUFFER;
    return buffer(
        side,
        "one stream has at most %s under way, which carries %s at %s%s"
            .formatted(
                side.windowText(host),
                carried(side.window(host).orElseThrow(), LONG_PATH),
                PathGoal.millis(LONG_PATH),
                isSmall ? "; long paths want more" : ""),
        isSmall ? side.linesForBuffer(host, LONG_PATH_BUFFER) : List.of());
  }

  private static String carried(long window, Duration roundTrip) {
    return NumberText.networkRate(window / PathGoal.seconds(roundTrip));
  }

  private static Finding unknown(String subject, KernelSetting setting) {
    return Finding.ok(subject, "not known: %s cannot be read here".formatted(setting.key()));
  }

  private void congestionControl() {
    KernelSetting setting = KernelSetting.CONGESTION_CONTROL;
    findings.add(
        host.setting(setting)
            .map(
                used ->
                    Finding.ok(
                        "congestion",
                        "%s (there are: %s)"
                            .formatted(
                                used,
                                host.setting(KernelSetting.AVAILABLE_CONGESTION_CONTROL)
                                    .orElse("not known"))))
            .orElseGet(() -> unknown("congestion", setting)));
  }

  private void switches() {
    int before = findings.size();
    expectOn(KernelSetting.WINDOW_SCALING, "windows", "no stream has more than 64 KiB under way");
    expectOn(
        KernelSetting.SACK, "selective acks", "after a loss much is sent again that has arrived");
    expectOn(
        KernelSetting.TIMESTAMPS,
        "timestamps",
        "round trips are measured badly, and fast streams may take old packets for new ones");
    if (findings.size() == before && host.most(KernelSetting.SACK).isPresent()) {
      findings.add(
          Finding.ok("tcp", "large windows, selective acknowledgements and timestamps are on"));
    }
    if (host.isOff(KernelSetting.MTU_PROBING)) {
      findings.add(
          Finding.better(
              "mtu probing",
              "off: where a router drops large packets without a word, a stream hangs",
              KernelSetting.MTU_PROBING.line(1)));
    }
    boolean isLong = goal.isPresent() && goal.get().roundTrip().compareTo(SLOW_START_MATTERS) >= 0;
    if (isLong && host.most(KernelSetting.SLOW_START_AFTER_IDLE).orElse(0) != 0) {
      findings.add(
          Finding.better(
              "idle streams",
              "a stream that waited for a disk begins slowly again",
              KernelSetting.SLOW_START_AFTER_IDLE.line(0)));
    }
  }

  private void expectOn(KernelSetting setting, String subject, String withoutIt) {
    if (host.isOff(setting)) {
      findings.add(Finding.better(subject, "off: " + withoutIt, setting.line(1)));
    }
  }

  /** The finding about buffers for data over UDP, which TCP does not use. */
  private void datagrams() {
    OptionalLong receive = host.most(KernelSetting.RMEM_MAX);
    OptionalLong send = host.most(KernelSetting.WMEM_MAX);
    if (receive.isEmpty() || send.isEmpty()) {
      return;
    }
    boolean isSmall = Math.min(receive.getAsLong(), send.getAsLong()) < DATAGRAM_BUFFER;
    findings.add(
        Finding.ok(
            "udp buffers",
            "a socket receives up to %s, sends up to %s%s"
                .formatted(
                    ByteSize.ofBytes(receive.getAsLong()),
                    ByteSize.ofBytes(send.getAsLong()),
                    isSmall
                        ? "; %s loses fewer packets with net.core.rmem_max and net.core.wmem_max of %d"
                            .formatted(Setting.DATA_TRANSPORT.with("udt"), DATAGRAM_BUFFER)
                        : "")));
  }

  private void queue() {
    Optional<String> queue = host.setting(KernelSetting.DEFAULT_QDISC);
    if (queue.isPresent()) {
      findings.add(
          FAIR_QUEUES.contains(queue.get())
              ? Finding.ok("packet queue", queue.get())
              : Finding.better(
                  "packet queue",
                  queue.get() + ": bursts of one stream overflow queues on the way; fq spaces them",
                  KernelSetting.DEFAULT_QDISC.line("fq")));
    }
  }
}
