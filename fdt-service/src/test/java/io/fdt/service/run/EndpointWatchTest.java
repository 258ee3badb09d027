package io.fdt.service.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.service.store.Database;
import io.fdt.service.store.Endpoint;
import io.fdt.service.store.EndpointStore;
import io.fdt.service.value.ServiceException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class EndpointWatchTest {
  @TempDir private Path root;

  private final List<String> looks = new CopyOnWriteArrayList<>();
  private final Set<String> away = ConcurrentHashMap.newKeySet();
  private volatile Instant now = Instant.parse("2027-01-01T00:00:00Z");
  private final Clock clock = ((InstantSource) () -> now).withZone(ZoneOffset.UTC);
  private Database database;
  private EndpointStore store;

  @BeforeEach
  void open() throws Exception {
    database = Database.open("jdbc:sqlite:" + root.resolve("db"));
    store = new EndpointStore(database);
    for (String name : List.of("a", "b")) {
      add(name, "bob", new Endpoint.Health(clock.millis() - 1000, ""));
    }
  }

  private void add(String name, String owner, Endpoint.Health health) throws ServiceException {
    store.add(new Endpoint(name, owner, name, "host", 1, "SHA256:x", "", "/", 4, 1, 1, health));
  }

  @AfterEach
  void close() {
    database.close();
  }

  private EndpointWatch watch() {
    return new EndpointWatch(
        store,
        endpoint -> {
          looks.add(endpoint.name());
          return found(endpoint.name());
        },
        clock);
  }

  private Endpoint.Health found(String name) {
    return new Endpoint.Health(clock.millis(), away.contains(name) ? name + " is away" : "");
  }

  private Endpoint.Health health(String name) {
    return store.find("bob", name).orElseThrow().health();
  }

  /** One tick; the looks that it has begun are noted when this returns. */
  private void tick(EndpointWatch watch, String... expected) {
    looks.clear();
    watch.tick();
    for (String name : expected) {
      await(name)
          .atMost(Duration.ofSeconds(30))
          .until(() -> looks.contains(name) && health(name).equals(found(name)));
    }
    assertThat(looks).containsExactlyInAnyOrder(expected);
  }

  @Test
  void allAreLookedAtAfterAStartAndThoseThatAreAwayMoreOften() {
    try (EndpointWatch watch = watch()) {
      away.add("b");
      tick(watch, "a", "b");
      now = now.plus(Endpoint.Health.WHILE_BAD).minusMillis(1);
      tick(watch);
      now = now.plusMillis(1);
      tick(watch, "b");
      away.clear();
      now = now.plus(Endpoint.Health.WHILE_BAD);
      tick(watch, "b");
      assertThat(health("b").problem()).isEmpty();
      now = now.plus(Endpoint.Health.WHILE_BAD);
      tick(watch);
      now = now.plus(Endpoint.Health.USUAL);
      tick(watch, "a", "b");
    }
  }

  /** Servers that answer slowly cost their user, and nobody else. */
  @Test
  void oneUsersSlowEndpointsDoNotKeepOthersWaiting() throws Exception {
    for (int i = 0; i < 20; i++) {
      add("slow" + i, "eve", new Endpoint.Health(1, ""));
    }
    CountDownLatch end = new CountDownLatch(1);
    EndpointWatch.Look look =
        endpoint -> {
          looks.add(endpoint.owner());
          if (endpoint.owner().equals("eve")) {
            end.await();
          }
          return found(endpoint.name());
        };
    try (EndpointWatch watch = new EndpointWatch(store, look, clock)) {
      for (int i = 0; i < 3; i++) {
        watch.tick();
      }
      await("bob's endpoints").atMost(Duration.ofSeconds(30)).until(() -> looks.contains("bob"));
      end.countDown();
    }
  }

  @Test
  void aTickAfterTheEndDoesNothing() {
    EndpointWatch watch = watch();
    watch.close();
    watch.tick();
    assertThat(looks).isEmpty();
  }

  @Test
  void ofTwoProcessesOneLooks() {
    Endpoint endpoint = store.find("bob", "a").orElseThrow();
    long due = clock.millis() + Endpoint.Health.USUAL.toMillis();
    assertThat(store.claimLook(endpoint, clock.millis())).as("before it is due").isFalse();
    assertThat(store.claimLook(endpoint, due)).isTrue();
    assertThat(store.claimLook(endpoint, due + 1)).isFalse();
  }

  /** A look may wait long for a server: what it will find is not known before. */
  @Test
  void anEndpointIsUnknownUntilItsFirstLookHasEnded() throws Exception {
    add("old", "bob", Endpoint.Health.UNKNOWN);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    EndpointWatch.Look look =
        endpoint -> {
          if (endpoint.name().equals("old")) {
            begun.countDown();
            end.await();
          }
          return found(endpoint.name());
        };
    try (EndpointWatch watch = new EndpointWatch(store, look, clock)) {
      watch.tick();
      begun.await();
      assertThat(health("old")).isEqualTo(Endpoint.Health.UNKNOWN);
      end.countDown();
      await("what was found")
          .atMost(Duration.ofSeconds(30))
          .until(() -> health("old").equals(new Endpoint.Health(clock.millis(), "")));
    }
  }

  @Test
  void whatIsFoundOfAnOlderVersionIsNotNoted() throws Exception {
    Endpoint old = store.find("bob", "a").orElseThrow();
    store.change(old.with("SHA256:y", "", "/", 4, old.health()));
    store.note(old, new Endpoint.Health(5, "wrong token"));
    assertThat(health("a").problem()).isEmpty();
  }
}
