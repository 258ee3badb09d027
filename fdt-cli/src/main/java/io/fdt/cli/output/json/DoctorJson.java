package io.fdt.cli.output.json;

import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.output.DoctorView;
import io.fdt.cli.output.Screen;
import io.fdt.client.PathTest;
import io.fdt.client.RemoteHost;
import io.fdt.client.TransferRequest.Direction;
import io.fdt.core.tuning.Advice;
import io.fdt.core.tuning.Finding;
import io.fdt.core.tuning.HostLimits;
import io.fdt.core.tuning.KernelSetting;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Findings of fdt doctor for a program: docs/json-doctor.schema.json. */
public final class DoctorJson implements DoctorView {
  private final Screen screen;

  public DoctorJson(Screen screen) {
    this.screen = screen;
  }

  @Override
  public void server(ServerAddress address, RemoteHost server) {
    new JsonEvent("server")
        .with("address", address)
        .with("software", server.software())
        .with("round_trip_seconds", seconds(server.roundTrip()))
        .show(screen);
    for (RemoteHost.Reachable export : server.exports()) {
      new JsonEvent("export")
          .withPath(export.path().toString())
          .with("writable", export.writable())
          .show(screen);
    }
  }

  /** Seconds, to the microsecond, because round trips are short. */
  private static double seconds(Duration duration) {
    return Math.round(duration.toNanos() / 1e3) / 1e6;
  }

  @Override
  public void test(PathTest test) {
    JsonEvent event =
        new JsonEvent("test")
            .with("direction", test.direction())
            .with("streams", test.streams())
            .with("bytes_per_second", Math.round(test.bytesPerSecond()))
            .with("elapsed_seconds", test.elapsed());
    if (test.limit().isPresent()) {
      event
          .with("limited_by", test.limit().get())
          .with("round_trip_seconds", seconds(test.roundTrip()))
          .with("loss", test.loss())
          .withShare("sender_cpu", test.sample().orElseThrow().senderCpu())
          .withShare("receiver_cpu", test.sample().orElseThrow().receiverCpu());
    }
    event.show(screen);
  }

  @Override
  public void thisHost(HostLimits limits) {
    host(Place.HERE, limits);
  }

  @Override
  public void serverHost(RemoteHost server) {
    host(Place.SERVER, server.limits());
  }

  private void host(Place place, HostLimits limits) {
    Map<String, String> settings = new TreeMap<>();
    for (KernelSetting setting : KernelSetting.values()) {
      limits.setting(setting).ifPresent(value -> settings.put(setting.key(), value));
    }
    new JsonEvent("host")
        .with("place", place.word())
        .with("system", limits.system())
        .with("java", limits.program().java())
        .with("processors", limits.processors())
        .with("memory_bytes", limits.memoryBytes())
        .with("free_bytes", limits.freeBytes())
        .with("block_bytes", limits.program().memoryBytes())
        .with("open_files", limits.openFiles())
        .with("epoll", limits.program().epoll())
        .with("boring_ssl", limits.program().boringSsl())
        .with("settings", settings)
        .show(screen);
  }

  @Override
  public void finding(Place place, Finding finding) {
    new JsonEvent("finding")
        .with("place", place.word())
        .with("grade", finding.grade())
        .with("subject", finding.subject())
        .withMessage(finding.text())
        .with("settings", finding.lines())
        .show(screen);
  }

  @Override
  public void advice(List<Direction> directions, Place place, Advice advice) {
    for (Direction direction : directions) {
      new JsonEvent("advice")
          .with("direction", direction)
          .with("place", place.word())
          .withMessage(advice.text())
          .with("settings", advice.lines())
          .show(screen);
    }
  }

  @Override
  public int end(boolean works) {
    int status = works ? 0 : 1;
    JsonEvent.end(screen, status);
    return status;
  }
}
