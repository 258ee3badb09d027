package io.fdt.core.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.storage.name.PathHashes;
import org.junit.jupiter.api.Test;

class PathHashesTest {
  @Test
  void aFullSetKnowsWhatItHas() {
    PathHashes hashes = new PathHashes(1, 16 << 10);
    int room = (16 << 10) / Long.BYTES / 4 * 3;
    for (int i = 0; i < room + 100; i++) {
      long hash = PathHashes.of(hashes.root(), i);
      assertThat(hashes.add(hash)).isTrue();
      assertThat(hashes.add(hash)).as("%d again", i).isEqualTo(i >= room);
      assertThat(hashes.contains(hash)).isEqualTo(i < room);
    }
  }
}
