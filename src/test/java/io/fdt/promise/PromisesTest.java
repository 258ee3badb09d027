package io.fdt.promise;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The records in {@code promises}; {@code make promises} removes the code of each. */
class PromisesTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @Test
  void theCodeAndTheTestOfEachPromiseExist() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Promise promise : Promise.readAll(ROOT)) {
      try {
        assertThat(promise.changed(ROOT)).isNotEmpty();
        assertThat(promise.testClassName(ROOT)).startsWith("io.fdt.");
      } catch (IllegalStateException e) {
        broken.add(e.getMessage());
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void eachPromiseIsOfAPage() throws IOException {
    for (Promise promise : Promise.readAll(ROOT)) {
      assertThat(List.of(ROOT, ROOT.resolve("docs")))
          .as(promise.place())
          .anyMatch(directory -> Files.exists(directory.resolve(promise.page() + ".md")));
    }
  }

  @Test
  void theTablesHaveTheRecords() throws IOException {
    Map<Path, String> tables = PromiseTable.of(ROOT, Promise.readAll(ROOT));
    for (Map.Entry<Path, String> page : tables.entrySet()) {
      assertThat(PromiseTable.read(page.getKey()).equals(page.getValue()))
          .as("%s is current; \"make promises-table\" writes it", page.getKey())
          .isTrue();
    }
  }
}
