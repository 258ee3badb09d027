package io.fdt.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.RemovalVisitor;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects that {@code fdt rm} removes. */
class RemovalTest {
  private static StoreServer server;

  @BeforeAll
  static void start(@TempDir Path directory) throws Exception {
    server = StoreServer.start(directory);
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  private static Bucket filled() {
    Bucket bucket = new Bucket();
    for (String key : List.of("tree/a", "tree/d/b", "tree/d/e/c", "tree2/a", "trees")) {
      bucket.put(key, new byte[3], Map.of());
    }
    return bucket;
  }

  /** The result is the count of the bytes that were removed. */
  private static long remove(Bucket bucket, String key, boolean recursive) throws Exception {
    long[] bytes = new long[1];
    bucket.storage.remove(
        BytePath.of(bucket.url(key)),
        recursive,
        new RemovalVisitor() {
          @Override
          public void removed(Attributes what) {
            bytes[0] += what.size();
          }

          @Override
          public void failed(String path, FdtException cause) {
            throw new AssertionError(path, cause);
          }
        });
    return bytes[0];
  }

  @Test
  void aTreeIsRemovedAndNothingThatBeginsLikeIt() throws Exception {
    Bucket bucket = filled();

    assertThat(remove(bucket, "tree", true)).isEqualTo(9);
    assertThat(bucket.keys()).containsExactly("tree2/a", "trees");
    assertThat(remove(bucket, "trees", false)).isEqualTo(3);
    assertThat(bucket.keys()).containsExactly("tree2/a");
  }

  @Test
  void aDirectoryIsRemovedOnlyAsATree() {
    Bucket bucket = filled();

    assertThatThrownBy(() -> remove(bucket, "tree", false))
        .hasMessageContaining("'" + bucket.url("tree") + "' is a directory; add -r");
    assertThatThrownBy(() -> remove(bucket, "tre", true)).hasMessageContaining("does not exist");
    assertThat(bucket.keys()).hasSize(5);
  }
}
