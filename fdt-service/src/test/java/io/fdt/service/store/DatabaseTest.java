package io.fdt.service.store;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseTest {
  /** The inner one would commit the outer one, and release its locks. */
  @Test
  void aTransactionWithinATransactionIsRefused(@TempDir Path root) throws Exception {
    try (Database database = Database.open("jdbc:sqlite:" + root.resolve("x.db"))) {
      assertThatThrownBy(
              () ->
                  database.<Integer, RuntimeException>transaction(
                      outer ->
                          database.<Integer, RuntimeException>transaction(
                              inner -> inner.update("DELETE FROM token WHERE id = ?", "x"))))
          .isInstanceOf(IllegalStateException.class);
    }
  }
}
