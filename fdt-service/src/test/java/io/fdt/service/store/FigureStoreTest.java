package io.fdt.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FigureStoreTest {
  @TempDir private Path root;

  @Test
  void endpointsOfDifferentUsersAreKeptApart() throws Exception {
    try (Database database = Database.open("jdbc:sqlite:" + root.resolve("db"))) {
      EndpointStore endpoints = new EndpointStore(database);
      add(endpoints, "alice", new Endpoint.Health(5, ""));
      add(endpoints, "bob", new Endpoint.Health(5, "does not answer"));
      add(endpoints, "carol", Endpoint.Health.UNKNOWN);

      assertThat(new FigureStore(database, "p").reachable(10))
          .containsExactly(
              new FigureStore.OfEndpoint("alice", "storage", 1),
              new FigureStore.OfEndpoint("bob", "storage", 0));
    }
  }

  private static void add(EndpointStore endpoints, String owner, Endpoint.Health health)
      throws Exception {
    endpoints.add(
        new Endpoint(owner + "1", owner, "storage", "h", 1, "SHA256:x", "", "/", 4, 1, 1, health));
  }
}
