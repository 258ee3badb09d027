package io.fdt.udt.protocol;

import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;

/**
 * Two ends on hosts whose processors others use too, in virtual time: each end runs for a while,
 * and then it does not. Meanwhile its timers are late, and packets wait in its socket, which has
 * room for some.
 */
final class LoadedHosts {
  /**
   * @param queuePackets in front of the link, in each direction
   * @param socketPackets that wait for an end that does not run
   * @param runMicros mean time for which an end runs
   * @param leastPauseMicros for which it does not run after that
   */
  record Conditions(
      double packetsPerMicro,
      int queuePackets,
      long delayMicros,
      double loss,
      int socketPackets,
      long runMicros,
      long leastPauseMicros,
      long mostPauseMicros) {}

  /** Packets that an end reads before it sends what is due. */
  private static final int READ_AT_ONCE = 64;

  /** What reading a packet takes: an end that was late needs time to catch up. */
  private static final long READ_MICROS = 2;

  private record Flight(long micros, long number, Host to, byte[] packet) {}

  private final class Host {
    final SimulatedEnd end;
    final Deque<byte[]> socket = new ArrayDeque<>();
    double freeMicros;
    long runsUntil = now;
    long sleepsUntil;

    Host(Terms terms, int peer) {
      WindowMemory memory = WindowMemory.UNBOUNDED;
      end =
          new SimulatedEnd(
              memory, terms, UdtSettings.DEFAULT, now, packet -> send(packet, hosts.get(peer)));
    }

    long wakeUp() {
      return Math.max(sleepsUntil, socket.isEmpty() ? end.wakeUp(now) : now);
    }

    void run() {
      int read = 0;
      while (!socket.isEmpty() && read < READ_AT_ONCE) {
        byte[] packet = socket.remove();
        end.connection.receive(now, Unpooled.wrappedBuffer(packet), 0, packet.length);
        read++;
      }
      if (socket.isEmpty()) {
        end.connection.allRead(now);
      }
      end.write();
      end.connection.transmit(now);
      sleepsUntil = now + read * READ_MICROS;
      if (now >= runsUntil) {
        long more = conditions.mostPauseMicros - conditions.leastPauseMicros;
        sleepsUntil = now + conditions.leastPauseMicros + (long) (random.nextDouble() * more);
        double run = -Math.log(1 - random.nextDouble()) * conditions.runMicros;
        runsUntil = sleepsUntil + (long) run;
      }
    }
  }

  private final Conditions conditions;
  private final Random random;
  private final PriorityQueue<Flight> flights =
      new PriorityQueue<>(
          (a, b) ->
              a.micros != b.micros
                  ? Long.compare(a.micros, b.micros)
                  : Long.compare(a.number, b.number));
  private final List<Host> hosts = new ArrayList<>();
  private long number;
  private long now = 1_000_000;
  private long sent;
  private long dropped;

  LoadedHosts(long seed, Conditions conditions) {
    this.conditions = conditions;
    this.random = new Random(seed);
    UdtSettings settings = UdtSettings.DEFAULT;
    long trip = 2 * conditions.delayMicros;
    hosts.add(new Host(new Terms(5, settings.segment(), 11, 22, trip), 1));
    hosts.add(new Host(new Terms(5, settings.segment(), 22, 11, 0), 0));
    hosts.get(0).end.toSend = Long.MAX_VALUE / 4;
  }

  private void send(byte[] packet, Host to) {
    sent++;
    double start = Math.max(now, to.freeMicros);
    if ((start - now) * conditions.packetsPerMicro > conditions.queuePackets) {
      dropped++;
      return;
    }
    to.freeMicros = start + 1 / conditions.packetsPerMicro;
    if (random.nextDouble() >= conditions.loss) {
      flights.add(new Flight((long) to.freeMicros + conditions.delayMicros, number++, to, packet));
    }
  }

  /** The receiver does not run for this long. */
  void stallReceiver(long micros) {
    hosts.get(1).sleepsUntil = now + micros;
  }

  /** Forgets what was dropped so far. */
  void countAnew() {
    sent = 0;
    dropped = 0;
  }

  /** The share of packets that the queues in front of the link have dropped. */
  double dropped() {
    return (double) dropped / sent;
  }

  /** Goes on for this long. Returns the share of the link that data got. */
  double run(long micros) {
    SimulatedEnd receiver = hosts.get(1).end;
    long before = receiver.received;
    long end = now + micros;
    while (now < end) {
      Host next = hosts.get(0).wakeUp() <= hosts.get(1).wakeUp() ? hosts.get(0) : hosts.get(1);
      Flight flight = flights.peek();
      if (flight != null && flight.micros <= next.wakeUp()) {
        flights.remove();
        now = Math.max(now, flight.micros);
        if (flight.to.socket.size() < conditions.socketPackets) {
          flight.to.socket.add(flight.packet);
        }
      } else {
        now = Math.max(now, next.wakeUp());
        next.run();
      }
    }
    double link = conditions.packetsPerMicro * UdtSettings.DEFAULT_SEGMENT * micros;
    return (receiver.received - before) / link;
  }

  void release() {
    for (Host host : hosts) {
      host.end.connection.release();
      host.end.assertReleased();
    }
  }
}
