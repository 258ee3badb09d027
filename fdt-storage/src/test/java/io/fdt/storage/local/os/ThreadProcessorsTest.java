package io.fdt.storage.local.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ThreadProcessorsTest {
  private final ThreadProcessors processors = new ThreadProcessors();

  @Test
  void aThreadIsBoundAndOthersStay() {
    BitSet before = processors.allowed();
    assertThat(before.cardinality()).isEqualTo(Runtime.getRuntime().availableProcessors());
    BitSet last = new BitSet();
    last.set(before.length() - 1);
    BitSet bound =
        CompletableFuture.supplyAsync(
                () -> {
                  processors.bind(last);
                  return processors.allowed();
                },
                work -> new Thread(work).start())
            .join();
    assertThat(bound).isEqualTo(last);
    assertThat(processors.allowed()).isEqualTo(before);
  }
}
