package io.fdt.cli.run.copy;

import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.ViaOptions;
import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.run.Clients;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.Interruption;
import io.fdt.cli.run.TokenSource;
import io.fdt.cli.run.TransferRun;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.NettestRequest;
import io.fdt.client.Transfer;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.unit.NumberText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Measures the routes to a server one after the other: directly, and through one relay each. */
final class FastestWay {
  private static final Duration TEST = Duration.ofSeconds(2);

  /** The first half of a test, which is ignored because streams are still starting. */
  private static final Duration HALF = TEST.dividedBy(2);

  /** The factor by which a relay must be faster to be chosen, because it can fail, too. */
  private static final double GAIN = 1.1;

  /** The rate of a route; negative if it fails. */
  record Measured(Optional<ViaOptions.Relay> relay, double bytesPerSecond, String text) {}

  private final Copy copy;
  private final Optional<AccessToken> token;
  private final CommandContext context;

  FastestWay(Copy copy, Optional<AccessToken> token, CommandContext context) {
    this.copy = copy;
    this.token = token;
    this.context = context;
  }

  /**
   * Finds the fastest route; the direct one if none can be measured. Blocks for about 2 s for each
   * route.
   *
   * @return the access; empty after an interruption
   * @throws FdtException no relays are named, and the server cannot be asked for some
   */
  Optional<ClientAccess> find(Consumer<String> notices) throws FdtException, InterruptedException {
    List<Optional<ViaOptions.Relay>> ways = new ArrayList<>(List.of(Optional.empty()));
    for (ViaOptions.Relay relay : relays()) {
      ways.add(Optional.of(relay));
    }
    if (ways.size() == 1) {
      notices.accept(
          "goes directly: the server offers no relays; name some with " + ViaOptions.RELAYS);
      return Optional.of(copy.access().withVia(copy.access().via().through(Optional.empty())));
    }
    List<Measured> all = new ArrayList<>();
    for (Optional<ViaOptions.Relay> relay : ways) {
      Optional<Measured> measured = measure(relay);
      if (measured.isEmpty()) {
        return Optional.empty();
      }
      all.add(measured.get());
    }
    Measured best = best(all);
    notices.accept(
        "goes "
            + name(best.relay())
            + ": "
            + String.join("; ", all.stream().map(Measured::text).toList()));
    return Optional.of(copy.access().withVia(copy.access().via().through(best.relay())));
  }

  /**
   * The route to use.
   *
   * @param all all routes, the direct one first
   */
  static Measured best(List<Measured> all) {
    Measured best = all.get(0);
    for (Measured other : all) {
      boolean isDirect = best.relay().isEmpty();
      if (other.bytesPerSecond() > Math.max(0, best.bytesPerSecond()) * (isDirect ? GAIN : 1)) {
        best = other;
      }
    }
    return best;
  }

  /**
   * The named relays, or else those that the server offers.
   *
   * @throws FdtException the server cannot be asked
   */
  private List<ViaOptions.Relay> relays() throws FdtException, InterruptedException {
    List<ViaOptions.Relay> named = copy.access().via().choice();
    if (!named.isEmpty()) {
      return named;
    }
    ClientAccess direct = copy.access().withVia(copy.access().via().through(Optional.empty()));
    boolean showsToken =
        TokenSource.givenForRelays(direct.via(), context.environment()).isPresent();
    List<ViaOptions.Relay> offered = new ArrayList<>();
    try (FdtClient client = Clients.open(copy.server(), direct, token, context)) {
      for (String text : client.describeServer().relays()) {
        ViaOptions.Relay relay = ViaOptions.offered(text);
        // Without the user's fingerprint, a server could offer a relay of its own to get the token.
        offered.add(showsToken ? relay.withoutFingerprint() : relay);
      }
    } catch (UsageException e) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "the server offers what is no relay: " + e.getMessage(), e);
    }
    return offered;
  }

  private static String name(Optional<ViaOptions.Relay> relay) {
    return relay.map(one -> "via " + one.address()).orElse("directly");
  }

  /** The rate of a route; empty after an interruption. */
  private Optional<Measured> measure(Optional<ViaOptions.Relay> relay) throws InterruptedException {
    ClientAccess access = copy.access().withVia(copy.access().via().through(relay));
    try (FdtClient client = Clients.open(copy.server(), access, token, context)) {
      TransferSpec spec = copy.request().spec();
      Transfer test =
          client.start(
              new NettestRequest(
                  copy.request().direction(),
                  spec.streams(),
                  TEST,
                  ByteSize.ofBytes(TransferSpec.DEFAULT_BLOCK),
                  ByteSize.ofBytes(0)));
      try (Interruption interruption = context.onInterruption(() -> TransferRun.cancel(test))) {
        Rate rate = new Rate();
        TransferReport report = TransferRun.await(test, HALF, rate::half);
        if (interruption.hasHappened()) {
          return Optional.empty();
        }
        if (report.failure().isPresent()) {
          throw new FdtException(report.failure().get(), report.failureMessage());
        }
        double bytesPerSecond = rate.whole(report);
        return Optional.of(
            new Measured(
                relay, bytesPerSecond, name(relay) + " " + NumberText.rate(bytesPerSecond)));
      }
    } catch (FdtException e) {
      return Optional.of(new Measured(relay, -1, name(relay) + " fails: " + e.getMessage()));
    }
  }

  /** The rate after the first half. */
  private static final class Rate {
    private long bytes;
    private Duration elapsed = Duration.ZERO;

    void half(TransferProgress progress) {
      if (elapsed.isZero()) {
        bytes = progress.figures().bytesDone();
        elapsed = progress.elapsed();
      }
    }

    double whole(TransferReport report) {
      double seconds = report.elapsed().minus(elapsed).toNanos() / 1e9;
      return (report.figures().bytesDone() - bytes) / Math.max(seconds, 1e-3);
    }
  }
}
