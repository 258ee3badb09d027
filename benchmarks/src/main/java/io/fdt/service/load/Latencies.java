package io.fdt.service.load;

import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The latencies of requests. Any thread. */
final class Latencies {
  private final ConcurrentLinkedQueue<Long> nanos = new ConcurrentLinkedQueue<>();

  void add(long took) {
    nanos.add(took);
  }

  int count() {
    return nanos.size();
  }

  @Override
  public String toString() {
    long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
    return sorted.length == 0
        ? "none"
        : "p50 %.1f ms, p99 %.1f ms, most %.1f ms"
            .formatted(
                sorted[sorted.length / 2] / 1e6,
                sorted[(int) (sorted.length * 0.99)] / 1e6,
                Arrays.stream(sorted).max().orElse(0) / 1e6);
  }
}
