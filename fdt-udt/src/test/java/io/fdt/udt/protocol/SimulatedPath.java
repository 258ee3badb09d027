package io.fdt.udt.protocol;

import io.fdt.core.wire.PathKey;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BiConsumer;

/**
 * Two ends of a connection and the path between them, in virtual time. The path has a rate, a queue
 * and a delay for each direction, and loses, damages, repeats and delays packets at random.
 */
final class SimulatedPath {
  /** What the path does; chances are of each packet. */
  record Conditions(
      double packetsPerMicro,
      int queuePackets,
      long delayMicros,
      double loss,
      double damage,
      double repeat,
      double late) {
    Conditions withLoss(double chance) {
      return new Conditions(
          packetsPerMicro, queuePackets, delayMicros, chance, damage, repeat, late);
    }
  }

  private record Flight(long micros, long number, boolean toFirst, byte[] packet) {}

  private final Random random;
  private final PriorityQueue<Flight> flights =
      new PriorityQueue<>(
          (a, b) ->
              a.micros != b.micros
                  ? Long.compare(a.micros, b.micros)
                  : Long.compare(a.number, b.number));
  private final double[] freeMicros = new double[2];
  private long number;
  long now = 1_000_000;
  Conditions conditions;
  boolean blackHole;

  /** Nothing arrives at the first end. */
  boolean oneWay;

  /** Hears of each packet before anything happens to it, and whether it is for the first end. */
  BiConsumer<byte[], Boolean> sent = (packet, toFirst) -> {};

  /** Longer packets are dropped. */
  int longest = Integer.MAX_VALUE;

  /** Packets that were lost at random, and packets that arrived with another bit. */
  long lost;

  long damaged;
  final SimulatedEnd first;
  final SimulatedEnd second;

  SimulatedPath(long seed, Conditions conditions, UdtSettings settings, int initial) {
    this(seed, conditions, settings, initial, WindowMemory.UNBOUNDED);
  }

  SimulatedPath(
      long seed, Conditions conditions, UdtSettings settings, int initial, WindowMemory memory) {
    this.random = new Random(seed);
    this.conditions = conditions;
    Terms a = new Terms(initial, settings.segment(), 11, 22, 0);
    Terms b = new Terms(initial, settings.segment(), 22, 11, 0);
    this.first = new SimulatedEnd(memory, a, settings, now, packet -> send(packet, false));
    this.second = new SimulatedEnd(memory, b, settings, now, packet -> send(packet, true));
  }

  /** One whose ends encrypt, with these keys; the first one has dialled. */
  SimulatedPath(
      long seed, Conditions conditions, UdtSettings settings, PathKey ofFirst, PathKey ofSecond) {
    this.random = new Random(seed);
    this.conditions = conditions;
    Terms a = new Terms(5, settings.segment(), 11, 22, 0);
    Terms b = new Terms(5, settings.segment(), 22, 11, 0);
    this.first = new SimulatedEnd(a, ofFirst, true, settings, now, packet -> send(packet, false));
    this.second = new SimulatedEnd(b, ofSecond, false, settings, now, packet -> send(packet, true));
  }

  private void send(byte[] packet, boolean toFirst) {
    sent.accept(packet, toFirst);
    if (blackHole || (oneWay && toFirst) || packet.length > longest) {
      return;
    }
    int direction = toFirst ? 0 : 1;
    double start = Math.max(now, freeMicros[direction]);
    if ((start - now) * conditions.packetsPerMicro > conditions.queuePackets) {
      return;
    }
    freeMicros[direction] = start + 1 / conditions.packetsPerMicro;
    int copies = random.nextDouble() < conditions.repeat ? 2 : 1;
    for (int i = 0; i < copies; i++) {
      if (random.nextDouble() < conditions.loss) {
        lost++;
        continue;
      }
      byte[] bytes = packet.clone();
      if (random.nextDouble() < conditions.damage) {
        damaged++;
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      }
      long extra = random.nextDouble() < conditions.late ? random.nextInt(20_000) : 0;
      long at = (long) freeMicros[direction] + conditions.delayMicros + extra;
      flights.add(new Flight(at, number++, toFirst, bytes));
    }
  }

  /** Goes on until this is true. Returns whether it was before the deadline. */
  boolean run(java.util.function.BooleanSupplier done, long forMicros) {
    long deadline = now + forMicros;
    turn(first);
    turn(second);
    while (!done.getAsBoolean()) {
      long next = Math.min(first.wakeUp(now), second.wakeUp(now));
      Flight flight = flights.peek();
      if (flight != null && flight.micros <= next) {
        flights.remove();
        now = Math.max(now, flight.micros);
        SimulatedEnd end = flight.toFirst ? first : second;
        ByteBuf packet = Unpooled.wrappedBuffer(flight.packet);
        end.connection.receive(now, packet, 0, flight.packet.length);
        end.connection.allRead(now);
        turn(end);
      } else if (next == Long.MAX_VALUE) {
        return done.getAsBoolean();
      } else {
        now = Math.max(now, next);
        turn(first);
        turn(second);
      }
      if (now > deadline) {
        return false;
      }
    }
    return true;
  }

  private void turn(SimulatedEnd end) {
    end.write();
    end.connection.transmit(now);
  }

  void release() {
    first.connection.release();
    second.connection.release();
    first.assertReleased();
    second.assertReleased();
  }
}
