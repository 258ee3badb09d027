package io.fdt.wan;

import io.fdt.compare.OwnServer.Place;
import java.io.IOException;
import java.util.List;

/**
 * Runs both ends on this machine, without a path, and with FDT's own rate limit: tests the suite on
 * machines that cannot emulate a path.
 */
final class LoopbackEmulator implements Emulator {
  @Override
  public Hosts up(String name, Link link) {
    return new Hosts() {
      @Override
      public Place source() {
        return new Place(List.of(), "127.0.0.1");
      }

      @Override
      public Place destination() {
        return source();
      }

      @Override
      public List<String> options() {
        return List.of("-limit", Link.number(link.megabitsPerSecond()) + "Mbit/s");
      }

      @Override
      public void change(Link changed) throws IOException {
        throw new IOException("loopback cannot be changed");
      }

      @Override
      public void close() {
        // Nothing was created.
      }
    };
  }

  @Override
  public String what() {
    return "loopback: these figures say nothing of a path";
  }
}
