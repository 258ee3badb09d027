package io.fdt.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.service.task.LinkPace;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinkStoreTest {
  @TempDir private Path root;

  @Test
  void whatWasLearntOutlivesTheProcess() throws Exception {
    String url = "jdbc:sqlite:" + root.resolve("db");
    LinkStore.Link link = new LinkStore.Link("a", "b");
    try (Database database = Database.open(url)) {
      LinkStore store = new LinkStore(database);
      store.change(link, 10, pace -> pace.ended(true));
      store.change(link, 20, pace -> pace.moved(100, 4));
    }
    try (Database database = Database.open(url)) {
      LinkPace pace = new LinkStore(database).all().get(link);
      assertThat(pace.succeeded()).isEqualTo(1);
      assertThat(pace.bytes()).isEqualTo(100);
      assertThat(pace.full()).isTrue();
    }
  }
}
