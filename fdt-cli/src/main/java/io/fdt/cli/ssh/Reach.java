package io.fdt.cli.ssh;

import io.fdt.cli.option.route.SshHost;
import io.fdt.cli.option.route.SshSettings;
import io.fdt.cli.process.Daemon;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** Finds an address at which a server can be reached without SSH. */
final class Reach {
  /** The time for all attempts. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private static final Duration HEAD_START = Duration.ofMillis(100);

  /** The key of the host name in the output of ssh -G. */
  private static final String HOST_NAME = "hostname ";

  private final int port;
  private final long deadlineNanos = System.nanoTime() + PATIENCE.toNanos();
  private final LinkedBlockingQueue<Optional<InetAddress>> answers = new LinkedBlockingQueue<>();
  private final Set<InetAddress> tried = ConcurrentHashMap.newKeySet();
  private volatile boolean found;
  private final AtomicInteger running = new AtomicInteger(1);

  private Reach(int port) {
    this.port = port;
  }

  /**
   * Tries all names, the first one a little earlier than the others.
   *
   * @param names names and addresses of the host
   * @param isRight checks that the right server answers there
   * @return the first address that is right; empty when none is within 2 s
   */
  static Optional<InetAddress> find(List<String> names, int port, Predicate<InetAddress> isRight)
      throws InterruptedException {
    Reach reach = new Reach(port);
    reach.start(() -> reach.resolve(names.get(0)));
    for (String name : names.subList(1, names.size())) {
      reach.start(() -> reach.resolveLater(name));
    }
    reach.finish();
    return reach.firstRight(isRight);
  }

  private Optional<InetAddress> firstRight(Predicate<InetAddress> isRight)
      throws InterruptedException {
    while (true) {
      long left = deadlineNanos - System.nanoTime();
      Optional<InetAddress> answer = answers.poll(Math.max(0, left), TimeUnit.NANOSECONDS);
      if (answer == null || answer.isEmpty()) {
        return Optional.empty(); // too late, or all have failed
      }
      if (isRight.test(answer.get())) {
        found = true;
        return answer;
      }
    }
  }

  private void start(Runnable attempt) {
    running.incrementAndGet();
    Daemon.start(
        "fdt-ssh-reach",
        () -> {
          attempt.run();
          finish();
        });
  }

  /** Tries a name later than the one that the user has given. */
  private void resolveLater(String name) {
    try {
      TimeUnit.MILLISECONDS.sleep(HEAD_START.toMillis());
      if (!found) {
        resolve(name);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Counts an attempt; the last one marks the end of the answers. */
  private void finish() {
    if (running.decrementAndGet() == 0) {
      answers.add(Optional.empty());
    }
  }

  private void resolve(String name) {
    try {
      for (InetAddress address : InetAddress.getAllByName(name)) {
        if (tried.add(address)) {
          start(() -> connect(address));
        }
      }
    } catch (IOException e) {
      return; // a name that only ssh, or a host between, can resolve
    }
  }

  private void connect(InetAddress address) {
    try (Socket socket = new Socket()) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
      socket.connect(new InetSocketAddress(address, port), (int) Math.max(1, left));
      answers.add(Optional.of(address));
    } catch (IOException e) {
      return; // a firewall, or another host that has this address
    }
  }

  /** The host name according to ssh's configuration; empty if it is unknown. */
  static Optional<String> hostName(SshHost host, SshSettings settings) {
    Optional<List<String>> command = settings.describe(host);
    if (command.isEmpty()) {
      return Optional.empty();
    }
    ProcessBuilder builder = new ProcessBuilder(command.get());
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(builder.start().getInputStream(), StandardCharsets.UTF_8))) {
      return lines
          .lines()
          .filter(line -> line.startsWith(HOST_NAME))
          .map(line -> line.substring(HOST_NAME.length()).strip())
          .findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
