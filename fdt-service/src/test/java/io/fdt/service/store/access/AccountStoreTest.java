package io.fdt.service.store.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.service.store.Database;
import io.fdt.service.store.Endpoint;
import io.fdt.service.store.EndpointStore;
import io.fdt.service.store.TimerStore;
import io.fdt.service.store.WebhookStore;
import io.fdt.service.value.ServiceException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whom a name belongs to, and who says what it may do. */
class AccountStoreTest {
  private static final String ISSUER = "https://idp.example";

  @TempDir private Path root;
  private Database database;
  private AccountStore accounts;

  @BeforeEach
  void open() throws Exception {
    database = Database.open("jdbc:sqlite:" + root.resolve("db"));
    accounts = new AccountStore(database, "tester");
  }

  @AfterEach
  void close() {
    database.close();
  }

  private Role signIn(String subject, String name, Role role) throws ServiceException {
    return accounts.signIn(ISSUER, subject, name, role, 10).role();
  }

  @Test
  void aNameStaysThatOfOnePerson() throws Exception {
    assertThat(signIn("1", "alice", Role.USER)).isEqualTo(Role.USER);
    assertThat(accounts.signIn(ISSUER, "1", "renamed", Role.USER, 20).owner()).isEqualTo("alice");
    assertThatThrownBy(() -> signIn("2", "alice", Role.USER)).hasMessageContaining("another user");
    assertThatThrownBy(() -> accounts.signIn("https://other", "1", "alice", Role.USER, 20))
        .hasMessageContaining("another user");
    assertThatThrownBy(() -> signIn("3", "tester", Role.USER)).hasMessageContaining("another user");
  }

  /** Of a user whose tokens have expired, endpoints with stored secrets may be left. */
  @Test
  void aNameUnderWhichSomethingIsStoredIsTaken() throws Exception {
    new EndpointStore(database)
        .add(
            new Endpoint(
                "e",
                "bob",
                "e",
                "host",
                1,
                "SHA256:x",
                "secret",
                "/",
                4,
                1,
                1,
                Endpoint.Health.UNKNOWN));
    new TimerStore(database)
        .add(new TimerStore.Timer("t", "carol", "t", "{}", 1000, 1, 0, "", 0, "", "", false));
    new WebhookStore(database)
        .add(new WebhookStore.Webhook("w", "dave", "http://x/", "END", "secret", 1));
    for (String name : List.of("bob", "carol", "dave")) {
      assertThatThrownBy(() -> signIn(name, name, Role.USER))
          .as(name)
          .hasMessageContaining("another user");
    }
  }

  @Test
  void whatTheProviderSaysHoldsUntilAnAdministratorSaysOtherwise() throws Exception {
    assertThat(signIn("1", "alice", Role.ADMIN)).isEqualTo(Role.ADMIN);
    assertThat(signIn("1", "alice", Role.USER)).isEqualTo(Role.USER);
    accounts.setRole("alice", Role.READER, 20);
    assertThat(signIn("1", "alice", Role.ADMIN)).isEqualTo(Role.READER);
    assertThat(accounts.role("alice")).isEqualTo(Role.READER);
    assertThat(accounts.role("nobody")).isEqualTo(Role.USER);
    assertThat(accounts.role("tester")).isEqualTo(Role.ADMIN);
  }

  /** The inner commit would give up the locks of the outer transaction. */
  @Test
  void aTransactionWithinATransactionIsADefect() {
    assertThatThrownBy(
            () -> database.<Role, RuntimeException>transaction(sql -> accounts.role("alice")))
        .hasMessageContaining("within a transaction");
    assertThat(accounts.role("alice")).isEqualTo(Role.USER);
  }
}
