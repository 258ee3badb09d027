package io.fdt.server.metrics;

import io.fdt.core.node.Software;
import io.fdt.server.delivery.Deliveries;
import io.fdt.server.limits.ConnectedClients;
import io.fdt.server.limits.Quota;
import io.fdt.server.relay.Relay;
import io.fdt.server.session.SessionLedger;
import io.fdt.server.spool.SpoolQuota;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Unit;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * The metrics of a server for Prometheus, described in docs/SERVER.md. Computed on request, so they
 * cost transfers nothing. Any thread.
 */
public final class ServerFigures implements MultiCollector {
  private final SessionLedger ledger;
  private final ConnectedClients clients;
  private final Quota memory;
  private final Relay relay;
  private final Optional<Deliveries> deliveries;
  private final double startSeconds = System.currentTimeMillis() / 1e3;

  public ServerFigures(
      SessionLedger ledger,
      ConnectedClients clients,
      Quota memory,
      Relay relay,
      Optional<Deliveries> deliveries) {
    this.relay = relay;
    this.deliveries = deliveries;
    this.ledger = ledger;
    this.clients = clients;
    this.memory = memory;
  }

  @Override
  public MetricSnapshots collect() {
    Map<SessionLedger.Account, SessionLedger.Sums> sums = ledger.sums();
    Optional<SpoolQuota> quota = deliveries.map(Deliveries::quota);
    return MetricSnapshots.builder()
        .metricSnapshot(
            counter(
                "fdt_payload_bytes",
                "Bytes of files moved and written.",
                sums,
                s -> s.figures.bytesDone()))
        .metricSnapshot(
            counter(
                "fdt_matched_bytes",
                "Bytes found in replaced files, and not sent.",
                sums,
                s -> s.figures.bytesMatched()))
        .metricSnapshot(
            counter(
                "fdt_wire_bytes",
                "Bytes on data streams, with headers and repetitions.",
                sums,
                s -> s.figures.wireBytes()))
        .metricSnapshot(files(sums))
        .metricSnapshot(
            counter(
                "fdt_blocks_repeated",
                "Blocks that had to go again: damaged, or lost with their stream.",
                sums,
                s -> s.figures.blocksRepeated()))
        .metricSnapshot(
            counter(
                "fdt_tcp_segments_repeated",
                "Segments that TCP sent again on data streams, from this end.",
                sums,
                s -> s.segmentsRepeated))
        .metricSnapshot(ended(sums))
        .metricSnapshot(gauge("fdt_sessions_running", "Transfers now.", sums, s -> s.running))
        .metricSnapshot(gauge("fdt_streams", "Data streams open now.", sums, s -> s.streams))
        .metricSnapshot(
            gauge(
                "fdt_blocks_waiting_bytes",
                "Blocks in memory now, for a stream or a disk.",
                sums,
                s -> s.waiting))
        .metricSnapshot(refused())
        .metricSnapshot(single("fdt_clients", "Clients connected now.", clients.connected()))
        .metricSnapshot(
            single("fdt_memory_reserved_bytes", "Block memory of transfers.", memory.taken()))
        .metricSnapshot(
            single("fdt_memory_limit_bytes", "What transfers may reserve.", memory.most()))
        .metricSnapshot(
            single("fdt_relay_connections", "Relayed connections now.", relay.connections()))
        .metricSnapshot(single("fdt_relay_bytes", "Relayed since the start.", relay.bytes()))
        .metricSnapshot(
            single(
                "fdt_deliveries",
                "Left by clients, not delivered yet.",
                deliveries.map(Deliveries::waiting).orElse(0)))
        .metricSnapshot(
            single(
                "fdt_spool_passing_bytes",
                "Held on the spool's disk for relayed connections now.",
                quota.map(SpoolQuota::passing).orElse(0L)))
        .metricSnapshot(
            single(
                "fdt_spool_files_bytes",
                "Files that clients have left, as last measured.",
                quota.map(SpoolQuota::left).orElse(0L)))
        .metricSnapshot(
            single(
                "fdt_spool_limit_bytes",
                "The size of the spool.",
                quota.map(SpoolQuota::most).orElse(0L)))
        .metricSnapshot(single("process_start_time_seconds", "Start, as Unix time.", startSeconds))
        .metricSnapshot(
            InfoSnapshot.builder()
                .name("fdt_build")
                .help("The program.")
                .dataPoint(
                    InfoDataPointSnapshot.builder()
                        .labels(Labels.of("version", Software.name()))
                        .build())
                .build())
        .build();
  }

  private static Labels labels(SessionLedger.Account account) {
    return Labels.of(
        "direction", account.isPull() ? "pull" : "push",
        "export", account.export(),
        "token", account.token());
  }

  private static CounterSnapshot counter(
      String name,
      String help,
      Map<SessionLedger.Account, SessionLedger.Sums> sums,
      ToLongFunction<SessionLedger.Sums> figure) {
    CounterSnapshot.Builder counter = CounterSnapshot.builder().name(name).help(help);
    if (name.endsWith("_bytes")) {
      counter.unit(Unit.BYTES);
    }
    sums.forEach(
        (account, sum) -> counter.dataPoint(point(labels(account), figure.applyAsLong(sum))));
    return counter.build();
  }

  private static CounterDataPointSnapshot point(Labels labels, long value) {
    return CounterDataPointSnapshot.builder().labels(labels).value(value).build();
  }

  private static CounterSnapshot files(Map<SessionLedger.Account, SessionLedger.Sums> sums) {
    CounterSnapshot.Builder counter =
        CounterSnapshot.builder().name("fdt_files").help("Files, by what became of them.");
    sums.forEach(
        (account, sum) -> {
          Labels labels = labels(account);
          counter
              .dataPoint(point(labels.add("result", "done"), sum.figures.files().done()))
              .dataPoint(point(labels.add("result", "unchanged"), sum.figures.files().unchanged()))
              .dataPoint(point(labels.add("result", "failed"), sum.figures.files().failed()));
        });
    return counter.build();
  }

  private static CounterSnapshot ended(Map<SessionLedger.Account, SessionLedger.Sums> sums) {
    CounterSnapshot.Builder counter =
        CounterSnapshot.builder().name("fdt_sessions_ended").help("Transfers, by how they ended.");
    sums.forEach(
        (account, sum) ->
            sum.ended.forEach(
                (how, count) ->
                    counter.dataPoint(point(labels(account).add("result", how), count))));
    return counter.build();
  }

  private CounterSnapshot refused() {
    CounterSnapshot.Builder counter =
        CounterSnapshot.builder().name("fdt_refusals").help("Connections and requests refused.");
    clients
        .refusals()
        .counts()
        .forEach(
            (code, count) ->
                counter.dataPoint(
                    point(Labels.of("reason", code.name().toLowerCase(Locale.ROOT)), count)));
    return counter.build();
  }

  private static GaugeSnapshot gauge(
      String name,
      String help,
      Map<SessionLedger.Account, SessionLedger.Sums> sums,
      ToLongFunction<SessionLedger.Sums> figure) {
    GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(help);
    sums.forEach(
        (account, sum) ->
            gauge.dataPoint(
                GaugeDataPointSnapshot.builder()
                    .labels(labels(account))
                    .value(figure.applyAsLong(sum))
                    .build()));
    return gauge.build();
  }

  private static GaugeSnapshot single(String name, String help, double value) {
    return GaugeSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(GaugeDataPointSnapshot.builder().value(value).build())
        .build();
  }
}
