package io.fdt.server;

import io.fdt.core.unit.RateSchedule;
import java.time.Duration;

/**
 * How much a server lets its clients have at the same time. Immutable.
 *
 * <p>Of clients and sessions no address (of IPv6: no /64) and no token gets more than half, so that
 * one of them never keeps all others out. Who finds everything taken is told to come again.
 *
 * @param strangers connections whose clients have proven nothing yet, 2 or more; beyond it, and
 *     beyond half of it for one address, the oldest of them goes
 * @param clients control connections of clients that are known; each may have a thread
 * @param sessions transfers, with those that wait for a client that lost its connection
 * @param streams data streams of all sessions together
 * @param memoryBytes what all sessions together may hold of blocks on their way
 * @param handshake how long a client has for each step until it is known
 * @param rate what all transfers together may move
 * @param clientRate what those of one token, or of an address without one, may move together
 */
public record ServerLimits(
    int strangers,
    int clients,
    int sessions,
    int streams,
    long memoryBytes,
    Duration handshake,
    RateSchedule rate,
    RateSchedule clientRate) {
  /**
   * 512 strangers (of about 100 KB), 256 clients, 100 sessions, 2,048 streams: with the files that
   * are open this stays below 4,096 descriptors. Memory: three quarters of what the JVM may have
   * outside of its heap unless it was told otherwise, which is as much as in its heap.
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
          RateSchedule.NONE);

  public ServerLimits {
    if (strangers < 2 || clients < 1 || sessions < 1 || streams < 1 || memoryBytes < 1) {
      throw new IllegalArgumentException("a server that takes nobody");
    }
  }

  public ServerLimits withStrangers(int most) {
    return new ServerLimits(
        most, clients, sessions, streams, memoryBytes, handshake, rate, clientRate);
  }

  public ServerLimits withClients(int most) {
    return new ServerLimits(
        strangers, most, sessions, streams, memoryBytes, handshake, rate, clientRate);
  }

  public ServerLimits withSessions(int most) {
    return new ServerLimits(
        strangers, clients, most, streams, memoryBytes, handshake, rate, clientRate);
  }

  public ServerLimits withStreams(int most) {
    return new ServerLimits(
        strangers, clients, sessions, most, memoryBytes, handshake, rate, clientRate);
  }

  public ServerLimits withMemoryBytes(long most) {
    return new ServerLimits(
        strangers, clients, sessions, streams, most, handshake, rate, clientRate);
  }

  public ServerLimits withHandshake(Duration deadline) {
    return new ServerLimits(
        strangers, clients, sessions, streams, memoryBytes, deadline, rate, clientRate);
  }

  public ServerLimits withRate(RateSchedule most) {
    return new ServerLimits(
        strangers, clients, sessions, streams, memoryBytes, handshake, most, clientRate);
  }

  public ServerLimits withClientRate(RateSchedule most) {
    return new ServerLimits(
        strangers, clients, sessions, streams, memoryBytes, handshake, rate, most);
  }
}
