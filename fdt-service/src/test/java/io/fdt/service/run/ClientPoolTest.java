package io.fdt.service.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.client.FdtClient;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClientPoolTest {
  private static ClientPool.Key key(String tokenHash) {
    return new ClientPool.Key("host", 54321, "SHA256:x", tokenHash, false);
  }

  private static FdtClient make() {
    return FdtClient.builder("192.0.2.1").build();
  }

  @Test
  void theSameCredentialsShareAClientAndOthersDoNot() {
    try (ClientPool pool = new ClientPool(Duration.ofSeconds(10));
        ClientPool.Lent one = pool.lend(key("a"), 0, ClientPoolTest::make);
        ClientPool.Lent same = pool.lend(key("a"), 0, ClientPoolTest::make);
        ClientPool.Lent other = pool.lend(key("b"), 0, ClientPoolTest::make)) {
      assertThat(same.client()).isSameAs(one.client());
      assertThat(other.client()).isNotSameAs(one.client());
      assertThat(pool.size()).isEqualTo(2);
    }
  }

  @Test
  void oneThatNobodyUsesIsClosedLater() {
    try (ClientPool pool = new ClientPool(Duration.ofSeconds(10))) {
      ClientPool.Lent used = pool.lend(key("a"), 0, ClientPoolTest::make);
      ClientPool.Lent idle = pool.lend(key("b"), 0, ClientPoolTest::make);
      idle.close();
      idle.close(); // once is enough
      long now = System.nanoTime();

      pool.sweep(now + Duration.ofSeconds(9).toNanos());
      assertThat(pool.size()).isEqualTo(2);
      pool.sweep(now + Duration.ofSeconds(11).toNanos());
      assertThat(pool.size()).as("the one in use").isEqualTo(1);
      used.close();
    }
  }

  @Test
  void nothingIsLentAfterTheEnd() {
    ClientPool pool = new ClientPool(Duration.ofSeconds(10));
    pool.close();
    pool.close();
    assertThatThrownBy(() -> pool.lend(key("a"), 0, ClientPoolTest::make))
        .isInstanceOf(IllegalStateException.class);
  }
}
