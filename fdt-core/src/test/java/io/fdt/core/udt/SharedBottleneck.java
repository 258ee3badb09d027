package io.fdt.core.udt;

import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;

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

  private final class UdtFlow {
    final SimulatedEnd sender;
    final SimulatedEnd receiver;
    long wakeUp = Long.MAX_VALUE;

    UdtFlow(int id) {
      UdtSettings settings = UdtSettings.DEFAULT;
      Terms there = new Terms(5, settings.segment(), settings.window(), id, id + 1, true, 0);
      Terms here = new Terms(5, settings.segment(), settings.window(), id + 1, id, true, 0);
      WindowMemory memory = WindowMemory.UNBOUNDED;
      sender = new SimulatedEnd(memory, there, settings, now, this::forward);
      receiver = new SimulatedEnd(memory, here, settings, now, this::backward);
      sender.toSend = Long.MAX_VALUE / 4;
    }

    private void forward(byte[] packet) {
      long at = queue();
      if (at >= 0) {
        later(at, () -> arrive(receiver, packet));
      }
    }

    private void backward(byte[] packet) {
      later(now + delayMicros, () -> arrive(sender, packet));
    }

    private void arrive(SimulatedEnd end, byte[] packet) {
      end.connection.receive(now, Unpooled.wrappedBuffer(packet), 0, packet.length);
      end.connection.allRead(now);
      turn();
    }

    void turn() {
      sender.write();
      sender.connection.transmit(now);
      receiver.connection.transmit(now);
      long next = Math.min(sender.wakeUp(now + 1), receiver.wakeUp(now + 1));
      if (next < wakeUp || wakeUp <= now) {
        wakeUp = next;
        later(
            next,
            () -> {
              if (now >= wakeUp) {
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
    UdtFlow flow = new UdtFlow(11 + 2 * udt.size());
    udt.add(flow);
    later(now, flow::turn);
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
    udt.forEach(flow -> all.add(flow.receiver.received / 1452.0));
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
          flow.sender.connection.release();
          flow.receiver.connection.release();
        });
  }
}
