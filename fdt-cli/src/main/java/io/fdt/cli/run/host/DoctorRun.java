package io.fdt.cli.run.host;

import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.output.DoctorView;
import io.fdt.cli.output.Screen;
import io.fdt.cli.output.json.DoctorJson;
import io.fdt.cli.output.text.DoctorText;
import io.fdt.cli.run.Clients;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.Interruption;
import io.fdt.cli.run.TokenSource;
import io.fdt.cli.run.TransferRun;
import io.fdt.client.FdtClient;
import io.fdt.client.NettestRequest;
import io.fdt.client.PathTest;
import io.fdt.client.RemoteHost;
import io.fdt.client.TransferRequest.Direction;
import io.fdt.client.UdpCheck;
import io.fdt.core.error.FdtException;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.tuning.Advice;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.Finding;
import io.fdt.core.tuning.HostCheckup;
import io.fdt.core.tuning.HostLimits;
import io.fdt.core.tuning.PathFigures;
import io.fdt.core.tuning.PathGoal;
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.ByteSize;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Finds settings that slow transfers down, here and on the path to a server.
 *
 * @param rate that the path should carry
 * @param roundTrip of the path
 * @param path to a server; empty for this host alone
 */
public record DoctorRun(
    Optional<BitRate> rate, Optional<Duration> roundTrip, boolean json, Optional<Path> path)
    implements Command {
  /**
   * A server, and the path to it.
   *
   * @param test how long each direction is tested; empty for no test
   * @param streams of the test
   */
  public record Path(
      ServerAddress server, Optional<Duration> test, int streams, ClientAccess access) {}

  @Override
  public int run(CommandContext context) throws FdtException, InterruptedException {
    if (path.isEmpty()) {
      return new Examination(this, context).examineThisHost();
    }
    return TokenSource.withToken(
        path.get().access(),
        context.environment(),
        context.screen(),
        token -> {
          Examination run = new Examination(this, context);
          try (FdtClient client =
                  Clients.open(path.get().server(), path.get().access(), token, context);
              Interruption interruption = context.onInterruption(client::close)) {
            try {
              return run.examine(path.get(), client);
            } catch (FdtException e) {
              if (interruption.hasHappened()) {
                return TransferRun.INTERRUPTED;
              }
              throw e;
            }
          }
        });
  }

  /** One examination. Not thread-safe. */
  private static final class Examination {
    private final DoctorRun command;
    private final DoctorView view;
    private final HostLimits here = FdtClient.describeThisHost();
    private boolean works = true;

    Examination(DoctorRun command, CommandContext context) {
      Screen screen = context.screen();
      this.command = command;
      this.view = command.json() ? new DoctorJson(screen) : new DoctorText(screen);
    }

    private int examineThisHost() {
      Optional<PathGoal> goal =
          command.roundTrip().map(roundTrip -> new PathGoal(wanted(0), roundTrip));
      view.thisHost(here);
      findings(DoctorView.Place.HERE, here, goal);
      return view.end(works);
    }

    private long wanted(double seen) {
      return command.rate().map(BitRate::bytesPerSecond).orElse(PathGoal.rateAbove(seen));
    }

    private int examine(Path path, FdtClient client) throws FdtException, InterruptedException {
      RemoteHost server = client.describeServer();
      view.server(path.server(), server);
      List<PathTest> tests = new ArrayList<>();
      if (path.test().isPresent()) {
        for (Direction direction : List.of(Direction.PUSH, Direction.PULL)) {
          PathTest test =
              client.test(
                  new NettestRequest(
                      direction,
                      path.streams(),
                      path.test().get(),
                      ByteSize.ofBytes(TransferSpec.DEFAULT_BLOCK),
                      ByteSize.ofBytes(0)),
                  server);
          view.test(test);
          tests.add(test);
        }
      }
      double most = tests.stream().mapToDouble(PathTest::bytesPerSecond).max().orElse(0);
      PathGoal goal = new PathGoal(wanted(most), command.roundTrip().orElse(server.roundTrip()));
      view.thisHost(here);
      findings(DoctorView.Place.HERE, here, Optional.of(goal));
      view.finding(DoctorView.Place.HERE, UdpCheck.of(client));
      view.serverHost(server);
      findings(DoctorView.Place.SERVER, server.limits(), Optional.of(goal));
      Set<Bottleneck> advised = EnumSet.noneOf(Bottleneck.class);
      for (PathTest test : tests) {
        Optional<Bottleneck> limit = test.limit();
        // Advice on the path holds both ways, advice on a host for one of its ends.
        if (limit.isPresent() && (advised.add(limit.get()) || limit.get().isOfOneStream())) {
          List<Direction> directions =
              limit.get().isOfOneStream()
                  ? List.of(test.direction())
                  : tests.stream()
                      .filter(other -> other.limit().equals(limit))
                      .map(PathTest::direction)
                      .toList();
          advise(test, directions, limit.get(), server, goal);
        }
      }
      return view.end(works);
    }

    private void findings(DoctorView.Place place, HostLimits host, Optional<PathGoal> goal) {
      if (place == DoctorView.Place.HERE) {
        view.finding(place, FdtClient.describeNodes());
      }
      for (Finding finding : HostCheckup.of(host, goal)) {
        works &= finding.grade() != Finding.Grade.PROBLEM;
        view.finding(place, finding);
      }
    }

    private void advise(
        PathTest test,
        List<Direction> directions,
        Bottleneck limit,
        RemoteHost server,
        PathGoal goal) {
      boolean isPush = test.direction() == Direction.PUSH;
      Optional<HostLimits> mine = Optional.of(here);
      Optional<HostLimits> its = Optional.of(server.limits());
      PathFigures figures =
          new PathFigures(
              OptionalLong.of(goal.bytesPerSecond()),
              test.bytesPerSecond(),
              goal.roundTrip(),
              test.streams(),
              test.loss(),
              false,
              false);
      for (Advice advice : Advice.of(limit, isPush ? mine : its, isPush ? its : mine, figures)) {
        view.advice(directions, DoctorView.Place.of(advice.side(), isPush), advice);
      }
    }
  }
}
