package io.fdt.cli.output;

import io.fdt.cli.option.ServerAddress;
import io.fdt.client.PathTest;
import io.fdt.client.RemoteHost;
import io.fdt.client.TransferRequest.Direction;
import io.fdt.core.tuning.Advice;
import io.fdt.core.tuning.Finding;
import io.fdt.core.tuning.HostLimits;
import io.fdt.core.tuning.KernelSetting;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What is in the way of transfers, as a program reads it: docs/json-doctor.schema.json. */
public final class DoctorJson implements DoctorView {
  private final Screen screen;

  public DoctorJson(Screen screen) {
    this.screen = screen;
  }

  @Override
  public void server(ServerAddress address, RemoteHost server) {
    screen.text(
        new JsonEvent("server")
            .with("address", address.toString())
            .with("software", server.software())
            .with("round_trip_seconds", seconds(server.roundTrip()))
            .line());
    for (RemoteHost.Reachable export : server.exports()) {
      screen.text(
          new JsonEvent("export")
              .withPath(export.path().toString())
              .with("writable", export.writable())
              .line());
    }
  }

  /** To the microsecond: round trips are short. */
  private static double seconds(Duration duration) {
    return Math.round(duration.toNanos() / 1e3) / 1e6;
  }

  @Override
  public void test(PathTest test) {
    JsonEvent event =
        new JsonEvent("test")
            .with("direction", word(test.direction()))
            .with("streams", test.streams())
            .with("bytes_per_second", Math.round(test.bytesPerSecond()))
            .with("elapsed_seconds", test.elapsed());
    if (test.limit().isPresent()) {
      event
          .with("limited_by", test.limit().get().name().toLowerCase(Locale.ROOT))
          .with("round_trip_seconds", seconds(test.roundTrip()))
          .with("loss", test.loss())
          .withShare("sender_cpu", test.sample().orElseThrow().senderCpu())
          .withShare("receiver_cpu", test.sample().orElseThrow().receiverCpu());
    }
    screen.text(event.line());
  }

  private static String word(Direction direction) {
    return direction.name().toLowerCase(Locale.ROOT);
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
    screen.text(
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
            .withTexts("settings", settings)
            .line());
  }

  @Override
  public void finding(Place place, Finding finding) {
    screen.text(
        new JsonEvent("finding")
            .with("place", place.word())
            .with("grade", finding.grade().name().toLowerCase(Locale.ROOT))
            .with("subject", finding.subject())
            .with("message", finding.text())
            .withTexts("settings", finding.lines())
            .line());
  }

  @Override
  public void advice(Direction direction, Place place, Advice advice) {
    screen.text(
        new JsonEvent("advice")
            .with("direction", word(direction))
            .with("place", place.word())
            .with("message", advice.text())
            .withTexts("settings", advice.lines())
            .line());
  }

  @Override
  public int end(boolean works) {
    int status = works ? 0 : 1;
    screen.text(new JsonEvent("summary").with("exit_status", status).line());
    return status;
  }
}
