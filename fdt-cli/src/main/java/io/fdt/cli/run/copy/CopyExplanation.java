package io.fdt.cli.run.copy;

import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.output.Screen;
import io.fdt.cli.output.TransferView;
import io.fdt.cli.output.text.ExplainedAdvice;
import io.fdt.cli.output.text.Explanation;
import io.fdt.cli.output.text.RelayText;
import io.fdt.client.FdtClient;
import io.fdt.client.RelayFigures;
import io.fdt.client.TransferRequest.Direction;
import io.fdt.core.error.FdtException;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.HostLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Explains the rate of a copy that has ended, with its relays and hosts. */
final class CopyExplanation {
  private final Copy copy;
  private final Explanation seen;
  private final Screen screen;

  /**
   * @param seen the observations of the sender
   */
  CopyExplanation(Copy copy, Explanation seen, Screen screen) {
    this.copy = copy;
    this.seen = seen;
    this.screen = screen;
  }

  /**
   * Shows the explanation. Asks relays and servers.
   *
   * @param source null unless it is another server
   */
  void show(TransferView view, FdtClient client, FdtClient source) throws InterruptedException {
    List<RelayFigures> relays = relays(client);
    view.relays(relays);
    if (!copy.output().json()) {
      boolean isPush = copy.request().direction() != Direction.PULL;
      List<String> lines = new ArrayList<>(RelayText.lines(relays, isPush));
      lines.addAll(advice(client, source));
      FdtClient.slowedBy().forEach(line -> lines.add("what slowed it down: " + line));
      FdtClient.threadPlaces().stream()
          .sorted()
          .forEach(place -> lines.add("threads of this host: " + place));
      view.advice(lines);
    }
  }

  private List<RelayFigures> relays(FdtClient client) {
    try {
      return client.relays();
    } catch (FdtException e) {
      screen.note("a relay does not say how it is doing: " + e.getMessage());
      return List.of();
    }
  }

  /** The advice, with the limits of hosts if they matter and are known. */
  private List<String> advice(FdtClient client, FdtClient source) throws InterruptedException {
    if (seen.most().isEmpty()) {
      return List.of();
    }
    Bottleneck limit = seen.most().get();
    Optional<HostLimits> here = Optional.empty();
    Optional<HostLimits> there = Optional.empty();
    if (ExplainedAdvice.isOfHosts(limit, seen.whole().orElseThrow())) {
      here = source == null ? Optional.of(FdtClient.describeThisHost()) : hostOf(source);
      there = hostOf(client);
    }
    return ExplainedAdvice.lines(limit, seen.whole().orElseThrow(), copy.request(), here, there);
  }

  private Optional<HostLimits> hostOf(FdtClient client) throws InterruptedException {
    try {
      return Optional.of(client.describeServer().limits());
    } catch (FdtException e) {
      screen.note("the server says nothing of its host: " + e.getMessage());
      return Optional.empty();
    }
  }
}
