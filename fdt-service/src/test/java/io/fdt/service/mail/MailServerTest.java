package io.fdt.service.mail;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** STARTTLS, certificates and passwords. */
@Timeout(60)
class MailServerTest {
  private static final Instant NOW = Instant.parse("2026-11-24T04:00:00Z");

  @TempDir private Path root;

  private MailServer server(StartTlsMailbox mailbox, String password, boolean trusts)
      throws Exception {
    Map<String, String> options = new HashMap<>();
    options.put("--mail-server", "localhost:" + mailbox.port());
    options.put("--mail-from", "fdt@lab.example");
    options.put("--mail-user", StartTlsMailbox.USER);
    options.put(
        "--mail-password-file", Files.writeString(root.resolve("password"), password).toString());
    if (trusts) {
      options.put("--mail-ca-file", mailbox.certificate().toString());
    }
    MailSettings settings = MailSettings.of(options).orElseThrow();
    assertThat(settings.toString()).doesNotContain(password);
    return new MailServer(settings);
  }

  private static MailServer.Mail mail(String to) {
    return new MailServer.Mail("id-1", to, "subject\r\nBcc: x@y", "text\n.\nmore");
  }

  @Test
  void startTlsWithAPassword() throws Exception {
    try (StartTlsMailbox mailbox = new StartTlsMailbox(root, true)) {
      MailServer server = server(mailbox, StartTlsMailbox.PASSWORD + "\n", true);
      assertThat(server.send(mail("alice@lab.example"), NOW).problem()).isEmpty();
      assertThat(mailbox.mails).hasSize(1);
      assertThat(mailbox.mails.get(0))
          .contains("To: alice@lab.example", "Message-ID: <id-1@lab.example>", "\n..\nmore")
          .doesNotContain("\nBcc:");
      assertThat(mailbox.heardInTheClear).hasSize(2).contains("STARTTLS");

      assertThat(server.send(mail("nobody@lab.example"), NOW).result())
          .isEqualTo(MailServer.Result.REFUSED);
      assertThat(server(mailbox, "wrong", true).send(mail("alice@lab.example"), NOW).result())
          .isEqualTo(MailServer.Result.FAILED);
      assertThat(mailbox.mails).hasSize(1);
    }
  }

  /** Somebody in between may hide that the server knows STARTTLS, or answer in its place. */
  @Test
  void nothingIsToldToAServerThatCannotBeTrusted() throws Exception {
    try (StartTlsMailbox clear = new StartTlsMailbox(root, false)) {
      MailServer.Answer answer =
          server(clear, StartTlsMailbox.PASSWORD, true).send(mail("alice@lab.example"), NOW);
      assertThat(answer.result()).isEqualTo(MailServer.Result.FAILED);
      assertThat(answer.problem()).contains("STARTTLS");
      assertThat(clear.heardInTheClear).noneMatch(line -> line.startsWith("AUTH"));
    }
    Files.delete(root.resolve("keys.p12"));
    try (StartTlsMailbox other = new StartTlsMailbox(root, true)) {
      MailServer.Answer answer =
          server(other, StartTlsMailbox.PASSWORD, false).send(mail("alice@lab.example"), NOW);
      assertThat(answer.result()).isEqualTo(MailServer.Result.FAILED);
      assertThat(other.mails).isEmpty();
      assertThat(other.heardInTheClear).noneMatch(line -> line.startsWith("AUTH"));
    }
  }

  @Test
  void portsAreTheUsualOnes() throws Exception {
    Map<String, String> options = new HashMap<>();
    options.put("--mail-server", "smtp.lab.example");
    options.put("--mail-from", "fdt@lab.example");
    assertThat(MailSettings.of(options).orElseThrow().port()).isEqualTo(587);
    options.put("--mail-tls", "tls");
    assertThat(MailSettings.of(options).orElseThrow().port()).isEqualTo(465);
  }
}
