package io.fdt.core.tuning;

import java.util.EnumMap;
import java.util.Map;

/** Hosts as they are found. */
public final class Hosts {
  private static final HostLimits.Program PROGRAM =
      new HostLimits.Program("17.0.1", 4L << 30, true, true);

  private Hosts() {}

  /** A Linux host without any tuning, as distributions have it before 6.10. */
  public static HostLimits stock() {
    return with(
        "net.core.rmem_max=212992",
        "net.core.wmem_max=212992",
        "net.core.default_qdisc=fq_codel",
        "net.ipv4.tcp_rmem=4096 131072 6291456",
        "net.ipv4.tcp_wmem=4096 16384 4194304",
        "net.ipv4.tcp_congestion_control=cubic",
        "net.ipv4.tcp_available_congestion_control=reno cubic",
        "net.ipv4.tcp_window_scaling=1",
        "net.ipv4.tcp_sack=1",
        "net.ipv4.tcp_timestamps=1",
        "net.ipv4.tcp_slow_start_after_idle=1",
        "net.ipv4.tcp_mtu_probing=0",
        "net.ipv4.tcp_no_metrics_save=0");
  }

  /** A host whose system says nothing but this. */
  public static HostLimits with(String... settings) {
    return changed(
        new HostLimits("Linux 6.1 amd64", 8, 16L << 30, 8L << 30, 4096, PROGRAM, Map.of()),
        settings);
  }

  /** The same host with other settings. */
  public static HostLimits changed(HostLimits host, String... settings) {
    Map<KernelSetting, String> all = new EnumMap<>(KernelSetting.class);
    all.putAll(host.settings());
    for (String setting : settings) {
      String[] parts = setting.split("=");
      all.put(KernelSetting.ofKey(parts[0]).orElseThrow(), parts[1]);
    }
    return new HostLimits(
        host.system(),
        host.processors(),
        host.memoryBytes(),
        host.freeBytes(),
        host.openFiles(),
        host.program(),
        all);
  }
}
