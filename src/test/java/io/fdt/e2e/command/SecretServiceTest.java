package io.fdt.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.Programs;
import io.fdt.e2e.RunningCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tokens in a real GNOME Keyring, in a D-Bus session of its own. */
class SecretServiceTest {
  /** Ends with the session: the daemon leaves when its bus does. */
  private static final String IN_SESSION =
      """
      export HOME=$PWD/user XDG_RUNTIME_DIR=$PWD/runtime COMMAND="$*" ADDRESS=%s FDT_HOME=$PWD/home
      unset DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS
      mkdir -p -m 700 user runtime
      exec timeout 100 dbus-run-session -- bash -eu -c '
        printf password | gnome-keyring-daemon --unlock --components=secrets > /dev/null
        %s'
      """;

  private static final String LOOKUP =
      "secret-tool lookup application fdt home $FDT_HOME server $ADDRESS";

  @RegisterExtension private final Lab lab = Lab.ofProcesses();
  private String address;
  private String token;
  private Path logins;

  @BeforeEach
  void serveToSomebodyElse() throws IOException {
    Programs.require("dbus-run-session", "gnome-keyring-daemon", "secret-tool");
    Content.write(lab.root().resolve("data/b"), 10, 2);
    RunningCommand server = lab.serveAt(lab.directory("owner"), "--export", "data");
    address = "127.0.0.1:" + server.port();
    Files.copy(lab.root().resolve("owner/token"), lab.root().resolve("alice"));
    token = Files.readString(lab.root().resolve("alice")).strip();
    logins = lab.root().resolve("home/logins");
  }

  @Test
  void aLoginIsFoundReplacedAndRemovedWhereverItIs() throws IOException {
    Outcome outcome =
        session(
                """
                $COMMAND login --secret-service --accept-new $ADDRESS < alice
                cp home/logins referring
                $COMMAND ls fdt://$ADDRESS/data
                test "$(LOOKUP)" = "$(cat alice)"
                $COMMAND login $ADDRESS < alice
                cp home/logins holding
                if LOOKUP; then exit 90; fi
                $COMMAND ls fdt://$ADDRESS/data
                $COMMAND login --secret-service $ADDRESS < alice
                $COMMAND servers
                $COMMAND logout $ADDRESS
                if LOOKUP; then exit 90; fi
                """)
            .expect(0);

    assertThat(lab.root().resolve("referring"))
        .content()
        .startsWith(address + " SHA256:")
        .endsWith(" in secret-service\n")
        .doesNotContain(token);
    assertThat(lab.root().resolve("holding")).content().endsWith(" " + token + "\n");
    assertThat(logins).isEmptyFile();
    assertThat(outcome.out()).contains("b\n", " yes ").doesNotContain(token);
    assertThat(outcome.err()).doesNotContain("secret service");
  }

  @Test
  void aTokenThatIsNotThereIsAskedForAndOneThatIsNotTakenIsInTheFile() throws IOException {
    session(
            """
            $COMMAND login --secret-service --accept-new $ADDRESS < alice
            secret-tool clear application fdt home $FDT_HOME server $ADDRESS
            if $COMMAND ls fdt://$ADDRESS/data 2> gone; then exit 91; fi
            $COMMAND login --secret-service $ADDRESS < alice
            export DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere
            if $COMMAND ls fdt://$ADDRESS/data 2> unreachable; then exit 92; fi
            $COMMAND ls --token-file alice fdt://$ADDRESS/data
            $COMMAND logout $ADDRESS 2> left
            $COMMAND login --accept-new --secret-service $ADDRESS < alice 2> fallen
            $COMMAND ls fdt://$ADDRESS/data
            """)
        .expect(0);

    assertThat(lab.root().resolve("gone"))
        .content()
        .contains("the token for " + address + " is no longer in the secret service");
    assertThat(lab.root().resolve("unreachable"))
        .content()
        .contains("is in the secret service, which failed to return it: secret-tool: ")
        .contains("use --token-file FILE or FDT_TOKEN, or log in");
    assertThat(lab.root().resolve("left"))
        .content()
        .contains("the earlier token for " + address + " stays in the secret service");
    assertThat(lab.root().resolve("fallen"))
        .content()
        .contains("because the secret service failed to store it: secret-tool: ");
    assertThat(logins).content().endsWith(" " + token + "\n");
  }

  private Outcome session(String script) {
    String inner = script.replace("LOOKUP", LOOKUP);
    return lab.runScript(lab.root(), IN_SESSION.formatted(address, inner));
  }
}
