package io.fdt.udt.protocol;

import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Consumer;

/**
 * One link that several flows share, in virtual time: a queue that drops what does not fit, a rate,
 * a delay, losses at random. Acknowledgements return without a queue.
 */
final class SharedBottleneck {
  private record Event(long micros, long number, Runnable step) {}

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          (a, b) ->
              a.micros != b.micros
                  ? Long.compare(a.micros, b.micros)
                  : Long.compare(a.number, b.number));
  private final Random random;
  private final double packetsPerMicro;
  private final int queuePackets;
  private final long delayMicros;
  private final double loss;
  private final List<UdtFlow> udt = new ArrayList<>();
  private final List<CubicFlow> cubic = new ArrayList<>();
  private double freeMicros;
  private long number;
  private long now = 1_000_000;

  /**
   * @param delayMicros of one direction
   */
  SharedBottleneck(
      long seed, double packetsPerMicro, int queuePackets, long delayMicros, double loss) {
    this.random = new Random(seed);
    this.packetsPerMicro = packetsPerMicro;
    this.queuePackets = queuePackets;
    this.delayMicros = delayMicros;
    this.loss = loss;
  }

  /**
   * How long the processor of an end runs, and does not run after that; none where it always runs.
   */
  record Pauses(long runMicros, long leastMicros, long mostMicros) {
    static final Pauses NONE = new Pauses(Long.MAX_VALUE / 4, 0, 0);
  }

  private final class UdtFlow {
    final Host sender;
    final Host receiver;

    UdtFlow(int id, Pauses pauses) {
      UdtSettings settings = UdtSettings.DEFAULT;
      Terms there = new Terms(5, settings.segment(), id, id + 1, 0);
      Terms here = new Terms(5, settings.segment(), id + 1, id, 0);
      sender = new Host(there, pauses, new Random(id), this::forward);
      receiver = new Host(here, pauses, new Random(id + 1), this::backward);
      sender.end.toSend = Long.MAX_VALUE / 4;
    }

    private void forward(byte[] packet) {
      long at = queue();
      if (at >= 0) {
        later(at, () -> receiver.arrive(packet));
      }
    }

    private void backward(byte[] packet) {
      later(now + delayMicros, () -> sender.arrive(packet));
    }
  }

  /** One end of a flow: what comes while it does not run waits. */
  private final class Host {
    final SimulatedEnd end;
    private final Pauses pauses;
    private final Random random;
    private final Deque<byte[]> socket = new ArrayDeque<>();
    private long runsUntil;
    private long sleepsUntil;
    private long wakeUp = Long.MAX_VALUE;

    Host(Terms terms, Pauses pauses, Random random, Consumer<byte[]> network) {
      this.pauses = pauses;
      this.random = random;
      this.end = new SimulatedEnd(WindowMemory.UNBOUNDED, terms, UdtSettings.DEFAULT, now, network);
      this.runsUntil = now + (long) (random.nextDouble() * pauses.runMicros);
    }

    void arrive(byte[] packet) {
      socket.add(packet);
      if (now >= sleepsUntil) {
        turn();
      }
    }

    void turn() {
      for (byte[] packet : socket) {
        end.connection.receive(now, Unpooled.wrappedBuffer(packet), 0, packet.length);
      }
      socket.clear();
      end.connection.allRead(now);
      end.write();
      end.connection.transmit(now);
      if (now >= runsUntil) {
        long more = pauses.mostMicros - pauses.leastMicros;
        sleepsUntil = now + pauses.leastMicros + (long) (random.nextDouble() * more);
        double run = -Math.log(1 - random.nextDouble()) * pauses.runMicros;
        runsUntil = sleepsUntil + (long) run;
      }
      long next = Math.max(sleepsUntil, end.wakeUp(now + 1));
      if (next < wakeUp || wakeUp <= now) {
        wakeUp = next;
        later(
            next,
            () -> {
              if (now >= wakeUp && now >= sleepsUntil) {
                turn();
              }
            });
      }
    }
  }

  /** Returns when the packet arrives; below 0 where it is dropped. */
  private long queue() {
    double start = Math.max(now, freeMicros);
    if ((start - now) * packetsPerMicro > queuePackets) {
      return -1;
    }
    freeMicros = start + 1 / packetsPerMicro;
    return random.nextDouble() < loss ? -1 : (long) freeMicros + delayMicros;
  }

  private void later(long micros, Runnable step) {
    events.add(new Event(micros, number++, step));
  }

  void addUdt() {
    addUdt(Pauses.NONE);
  }

  /**
   * @param pauses of both of its ends
   */
  void addUdt(Pauses pauses) {
    UdtFlow flow = new UdtFlow(11 + 2 * udt.size(), pauses);
    udt.add(flow);
    later(now, flow.sender::turn);
    later(now, flow.receiver::turn);
  }

  void addCubic() {
    CubicFlow flow = new CubicFlow();
    cubic.add(flow);
    later(now, () -> send(flow));
    later(now + 200_000, () -> watch(flow));
  }

  private void send(CubicFlow flow) {
    while (flow.maySend()) {
      long sent = flow.send(now);
      long at = queue();
      if (at >= 0) {
        later(
            at + delayMicros,
            () -> {
              flow.acknowledged(now, sent);
              send(flow);
            });
      }
    }
  }

  private void watch(CubicFlow flow) {
    if (now >= flow.timeoutMicros()) {
      flow.timedOut(now);
      send(flow);
    }
    later(now + 50_000, () -> watch(flow));
  }

  void run(long micros) {
    long end = now + micros;
    while (!events.isEmpty() && events.peek().micros <= end) {
      Event event = events.remove();
      now = Math.max(now, event.micros);
      event.step.run();
    }
    now = end;
  }

  /** Packets of each flow that have arrived, those of UDT first. */
  List<Double> delivered() {
    List<Double> all = new ArrayList<>();
    udt.forEach(flow -> all.add(flow.receiver.end.received / 1452.0));
    cubic.forEach(flow -> all.add((double) flow.delivered));
    return all;
  }

  /** Jain's index of some shares: 1 for equal ones, 1/n where one has all. */
  static double jain(List<Double> shares) {
    double sum = 0;
    double squares = 0;
    for (double share : shares) {
      sum += share;
      squares += share * share;
    }
    return sum * sum / (shares.size() * squares);
  }

  void release() {
    udt.forEach(
        flow -> {
          flow.sender.end.connection.release();
          flow.receiver.end.connection.release();
        });
  }
}
