package io.fdt.client;

import io.fdt.core.error.FdtException;
import io.fdt.core.node.UdpReach;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.tuning.Finding;
import io.fdt.udt.transport.UdtTransport;
import java.util.List;
import java.util.Locale;

/** Whether data can reach a server over UDP. Stateless. */
public final class UdpCheck {
  private static final String SUBJECT = "udp";

  private UdpCheck() {}

  /** Probes the server of a client. Blocks for about a second at most. */
  public static Finding of(FdtClient client) throws InterruptedException {
    try {
      double millis = UdpReach.ask(client.dialer(), UdtTransport.UDP).toNanos() / 1e6;
      String offload =
          EventLoops.segmentsDatagrams()
              ? "many packets per system call (UDP_SEGMENT)"
              : "one packet per system call (no UDP_SEGMENT)";
      return new Finding(
          Finding.Grade.OK,
          SUBJECT,
          String.format(
              Locale.US, "passes: connected in %.1f ms; here %s", Math.max(0.1, millis), offload),
          List.of());
    } catch (FdtException e) {
      return new Finding(
          Finding.Grade.OK,
          SUBJECT,
          "does not pass, data goes over TCP: " + e.getMessage(),
          List.of());
    }
  }
}
