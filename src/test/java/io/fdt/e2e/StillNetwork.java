package io.fdt.e2e;

import io.fdt.e2e.FaultyNetwork.Plan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A part of a way on which data stands still until a test lets it go on. Any thread. */
final class StillNetwork {
  /** Control connections carry less. */
  static final long HELD_FROM = 1 << 20;

  private final CountDownLatch goOn = new CountDownLatch(1);
  private final List<FaultyNetwork> networks = new ArrayList<>();

  /** The port of one that holds the data in one direction. */
  int before(RunningCommand behind, boolean toClient) {
    return before(
        behind,
        (data, number) ->
            (bytes, count, offset, back) -> {
              if (back == toClient && offset + count > HELD_FROM) {
                awaitGoOn();
              }
              return true;
            });
  }

  /** The port of one with a plan of its own. */
  int before(RunningCommand behind, Plan plan) {
    FaultyNetwork network = new FaultyNetwork(behind.port(), plan);
    networks.add(network);
    return network.port();
  }

  void awaitGoOn() throws InterruptedException {
    goOn.await();
  }

  void goOn() {
    goOn.countDown();
  }

  /** Lets everything go on, and ends all connections. */
  void close() throws IOException {
    goOn();
    for (FaultyNetwork network : networks) {
      network.close();
    }
  }
}
