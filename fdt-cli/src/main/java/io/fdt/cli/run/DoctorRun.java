package io.fdt.cli.run;

import io.fdt.cli.command.DoctorCommand;
import io.fdt.cli.command.Operation;
import io.fdt.cli.option.TokenSource;
import io.fdt.cli.output.DoctorJson;
import io.fdt.cli.output.DoctorText;
import io.fdt.cli.output.DoctorView;
import io.fdt.cli.output.Screen;
import io.fdt.client.FdtClient;
import io.fdt.client.PathTest;
import io.fdt.client.RemoteHost;
import io.fdt.client.TransferRequest.Direction;
import io.fdt.client.UdpCheck;
import io.fdt.core.error.FdtException;
import io.fdt.core.tuning.Advice;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.Finding;
import io.fdt.core.tuning.HostCheckup;
import io.fdt.core.tuning.HostLimits;
import io.fdt.core.tuning.PathFigures;
import io.fdt.core.tuning.PathGoal;
import io.fdt.core.unit.BitRate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Looks for what is in the way of transfers, here and on the path to a server. */
public final class DoctorRun {
  private final Operation.Doctor command;
  private final DoctorView view;
  private final HostLimits here = FdtClient.describeThisHost();
  private boolean works = true;

  private DoctorRun(Operation.Doctor command, DoctorView view) {
    this.command = command;
    this.view = view;
  }

  /** Does it; the result is an exit status. */
  public static int run(Operation.Doctor command, CommandContext context)
      throws FdtException, InterruptedException {
    Screen screen = context.screen();
    if (command.path().isEmpty()) {
      return new DoctorRun(command, view(command, screen)).examineThisHost();
    }
    Operation.DoctorPath path = command.path().get();
    return TokenSource.withToken(
        path.access(),
        context.environment(),
        screen,
        token -> {
          DoctorRun run = new DoctorRun(command, view(command, screen));
          try (FdtClient client = Clients.open(path.server(), path.access(), token, context);
              Interruption interruption = context.onInterruption(client::close)) {
            try {
              return run.examine(path, client);
            } catch (FdtException e) {
              if (interruption.hasHappened()) {
                return TransferRun.INTERRUPTED;
              }
              throw e;
            }
          }
        });
  }

  private static DoctorView view(Operation.Doctor command, Screen screen) {
    return command.json() ? new DoctorJson(screen) : new DoctorText(screen);
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

  private int examine(Operation.DoctorPath path, FdtClient client)
      throws FdtException, InterruptedException {
    RemoteHost server = client.describeServer();
    view.server(path.server(), server);
    List<PathTest> tests = new ArrayList<>();
    if (path.test().isPresent()) {
      for (Direction direction : List.of(Direction.PUSH, Direction.PULL)) {
        PathTest test =
            client.test(DoctorCommand.test(direction, path.streams(), path.test().get()), server);
        view.test(test);
        tests.add(test);
      }
    }
    double most = tests.stream().mapToDouble(PathTest::bytesPerSecond).max().orElse(0);
    PathGoal goal = new PathGoal(wanted(most), roundTrip(server, tests));
    view.thisHost(here);
    findings(DoctorView.Place.HERE, here, Optional.of(goal));
    view.finding(DoctorView.Place.HERE, UdpCheck.of(client));
    view.serverHost(server);
    findings(DoctorView.Place.SERVER, server.limits(), Optional.of(goal));
    Set<Bottleneck> told = EnumSet.noneOf(Bottleneck.class);
    for (PathTest test : tests) {
      Optional<Bottleneck> limit = test.limit();
      // What is said of the path holds both ways; what is said of a host, of one end of it.
      if (limit.isPresent() && (told.add(limit.get()) || limit.get().isOfOneStream())) {
        advise(test, limit.get(), server, goal);
      }
    }
    return view.end(works);
  }

  private Duration roundTrip(RemoteHost server, List<PathTest> tests) {
    Duration least = server.roundTrip();
    for (PathTest test : tests) {
      Duration seen = test.leastRoundTrip();
      least = !seen.isZero() && seen.compareTo(least) < 0 ? seen : least;
    }
    return command.roundTrip().orElse(least);
  }

  private void findings(DoctorView.Place place, HostLimits host, Optional<PathGoal> goal) {
    for (Finding finding : HostCheckup.of(host, goal)) {
      works &= finding.grade() != Finding.Grade.PROBLEM;
      view.finding(place, finding);
    }
  }

  private void advise(PathTest test, Bottleneck limit, RemoteHost server, PathGoal goal) {
    boolean isPush = test.direction() == Direction.PUSH;
    Optional<HostLimits> mine = Optional.of(here);
    Optional<HostLimits> its = Optional.of(server.limits());
    PathFigures figures =
        new PathFigures(
            OptionalLong.of(goal.bytesPerSecond()),
            test.bytesPerSecond(),
            goal.roundTrip(),
            test.streams(),
            test.loss());
    for (Advice advice : Advice.of(limit, isPush ? mine : its, isPush ? its : mine, figures)) {
      view.advice(test.direction(), DoctorView.Place.of(advice.side(), isPush), advice);
    }
  }
}
