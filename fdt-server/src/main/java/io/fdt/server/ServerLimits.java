package io.fdt.server;

import io.fdt.core.unit.RateSchedule;
import io.fdt.server.limits.DescriptorBudget;
import io.fdt.server.limits.ServerRates;
import io.fdt.server.session.ServerSessions;
import java.time.Duration;

/**
 * The limits of a server for its clients. Immutable.
 *
 * <p>An address (of IPv6: a /64) or a token gets at most half of the clients and sessions, so that
 * it cannot exclude all others. Clients over a limit get BUSY and retry later.
 *
 * @param strangers unauthenticated connections, 2 or more; beyond the limit, or half of it for one
 *     address, the oldest is closed
 * @param clients control connections of authenticated clients; each may have a thread
 * @param sessions transfers, including those that wait for their client to reconnect
 * @param streams data streams of all sessions together
 * @param memoryBytes memory for the blocks of all sessions
 * @param handshake time for each step until a client is authenticated
 * @param rate of all transfers together
 * @param clientRate of all transfers of one token, or of an address without one
 * @param openFiles descriptors for the server, of which one token gets less than half; 0 for the
 *     system's limit
 */
public record ServerLimits(
    int strangers,
    int clients,
    int sessions,
    int streams,
    long memoryBytes,
    Duration handshake,
    RateSchedule rate,
    RateSchedule clientRate,
    long openFiles) {
  /** Descriptors of the process itself: jar, event loops, log, metrics, pending refusals. */
  private static final long OWN_DESCRIPTORS = 192;

  /** Directories that are kept open for reuse; see IdleDirectories. */
  private static final long IDLE_DIRECTORIES = 256;

  /**
   * The minimum for clients: with fewer, no client could be served; then the system's errors show
   * the limit.
   */
  private static final long LEAST_FOR_CLIENTS = 64;

  /**
   * 512 unauthenticated connections (of about 100 KB each), 256 clients, 100 sessions, 2,048
   * streams: with open files, this stays below 4,096 descriptors. Memory: three quarters of the
   * JVM's direct memory, which is by default the size of the heap.
   */
  public static final ServerLimits DEFAULT =
      new ServerLimits(
          512,
          256,
          100,
          2048,
          Runtime.getRuntime().maxMemory() / 4 * 3,
          Duration.ofSeconds(10),
          RateSchedule.NONE,
          RateSchedule.NONE,
          0);

  public ServerLimits {
    if (strangers < 2
        || clients < 1
        || sessions < 1
        || streams < 1
        || memoryBytes < 1
        || openFiles < 0) {
      throw new IllegalArgumentException("limits must be at least 1, strangers at least 2");
    }
  }

  public ServerLimits withStrangers(int most) {
    return new ServerLimits(
        most, clients, sessions, streams, memoryBytes, handshake, rate, clientRate, openFiles);
  }

  public ServerLimits withClients(int most) {
    return new ServerLimits(
        strangers, most, sessions, streams, memoryBytes, handshake, rate, clientRate, openFiles);
  }

  public ServerLimits withSessions(int most) {
    return new ServerLimits(
        strangers, clients, most, streams, memoryBytes, handshake, rate, clientRate, openFiles);
  }

  public ServerLimits withStreams(int most) {
    return new ServerLimits(
        strangers, clients, sessions, most, memoryBytes, handshake, rate, clientRate, openFiles);
  }

  public ServerLimits withMemoryBytes(long most) {
    return new ServerLimits(
        strangers, clients, sessions, streams, most, handshake, rate, clientRate, openFiles);
  }

  public ServerLimits withHandshake(Duration deadline) {
    return new ServerLimits(
        strangers, clients, sessions, streams, memoryBytes, deadline, rate, clientRate, openFiles);
  }

  public ServerLimits withRate(RateSchedule most) {
    return new ServerLimits(
        strangers, clients, sessions, streams, memoryBytes, handshake, most, clientRate, openFiles);
  }

  public ServerLimits withClientRate(RateSchedule most) {
    return new ServerLimits(
        strangers, clients, sessions, streams, memoryBytes, handshake, rate, most, openFiles);
  }

  public ServerLimits withOpenFiles(long most) {
    return new ServerLimits(
        strangers, clients, sessions, streams, memoryBytes, handshake, rate, clientRate, most);
  }

  /**
   * These limits, reduced to the descriptors that the process may have.
   *
   * @param ofSystem the limit of the process; 0 when unknown
   */
  ServerLimits within(long ofSystem) {
    long all = openFiles > 0 ? openFiles : ofSystem > 0 ? ofSystem : Long.MAX_VALUE;
    ServerLimits fewer =
        withOpenFiles(all).withStrangers((int) Math.max(2, Math.min(strangers, all / 8)));
    long ofClients = fewer.descriptorsOfClients();
    return fewer
        .withClients((int) Math.min(clients, ofClients / 8))
        .withStreams((int) Math.min(streams, ofClients / 2));
  }

  /** Descriptors for authenticated clients, after {@link #within}. */
  long descriptorsOfClients() {
    return Math.max(LEAST_FOR_CLIENTS, openFiles - OWN_DESCRIPTORS - IDLE_DIRECTORIES - strangers);
  }

  /** An empty set of sessions with these limits. */
  ServerSessions openSessions() {
    return new ServerSessions(
        sessions,
        streams,
        memoryBytes,
        new DescriptorBudget(descriptorsOfClients()),
        new ServerRates(rate, clientRate));
  }

  /** Whether the rate of sessions is limited, now or at some time of the day. */
  boolean hasRate() {
    return !rate.equals(RateSchedule.NONE) || !clientRate.equals(RateSchedule.NONE);
  }
}
