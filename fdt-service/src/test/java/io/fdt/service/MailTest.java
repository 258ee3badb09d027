package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import io.fdt.core.error.FdtException;
import jakarta.mail.internet.MimeMessage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** E-mail about tasks: confirmed, once, repeated while the server is away; and bookmarks. */
@Timeout(60)
class MailTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final Pattern CODE = Pattern.compile("\n {2}([0-9a-f]{20})\r?\n");

  @TempDir private Path root;
  private Site site;
  private GreenMail server;
  private TransferService service;
  private Rest rest;

  @BeforeEach
  void start() throws Exception {
    site = new Site(root);
    site.write("run/file", 1000, 1);
    server = new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
    server.start();
    service = TransferService.start(options(server.getSmtp().getPort()), "tester", root);
    rest = site.rest(service.url());
    site.addEndpoints(rest);
  }

  @AfterEach
  void end() throws Exception {
    service.close();
    server.stop();
    site.close();
  }

  private ServiceOptions options(int port) throws FdtException {
    return ServiceOptions.parse(
        List.of(
            "--port",
            "0",
            "--mail-server",
            "127.0.0.1:" + port,
            "--mail-from",
            "fdt@lab.example",
            "--mail-tls",
            "none"),
        Map.of(),
        root.resolve("fdt"));
  }

  private List<MimeMessage> mails() {
    return Arrays.asList(server.getReceivedMessages());
  }

  private MimeMessage mail(int number) {
    await("mail " + number).atMost(DEADLINE).until(() -> mails().size() >= number);
    return mails().get(number - 1);
  }

  private static String text(MimeMessage mail) throws Exception {
    return (String) mail.getContent();
  }

  private Object add(String... kinds) throws Exception {
    Map<String, Object> shown =
        rest.post(
                "/api/v1/emails", Map.of("address", "alice@lab.example", "notify", List.of(kinds)))
            .expect(201)
            .json();
    assertThat(shown).containsEntry("confirmed", false);
    return shown.get("email_id");
  }

  private void confirm(Object email, MimeMessage mail) throws Exception {
    Matcher code = CODE.matcher(text(mail));
    assertThat(code.find()).as(text(mail)).isTrue();
    assertThat(
            rest.post("/api/v1/emails/" + email + "/confirm", Map.of("code", code.group(1)))
                .expect(200)
                .json())
        .containsEntry("confirmed", true);
  }

  @Test
  void aConfirmedAddressIsToldOfTheEndOnce() throws Exception {
    Object before = rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id");
    rest.end(before);
    Object email = add("end", "fault");
    rest.post("/api/v1/emails/" + email + "/confirm", Map.of("code", "0")).expect(403);
    Object unconfirmed =
        rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id");
    rest.end(unconfirmed);
    confirm(email, mail(1));

    Map<String, Object> request = Site.transfer();
    request.put("label", "Müller & <b>");
    Object task = rest.post("/api/v1/tasks", request).expect(201).json().get("task_id");
    rest.end(task);
    MimeMessage told = mail(2);
    assertThat(told.getSubject()).isEqualTo("fdt: task " + task + " succeeded: Müller & <b>");
    assertThat(text(told)).contains("Files:    1, failed: 0, deleted: 0", "fdt task show " + task);
    assertThat(told.getFrom()[0]).hasToString("fdt@lab.example");
    assertThat(told.getHeader("Auto-Submitted")).containsExactly("auto-generated");
    rest.send("DELETE", "/api/v1/emails/" + email, null).expect(204);
    rest.end(rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id"));
    assertThat(mails()).hasSize(2);
  }

  @Test
  void faultsAndDeadlinesAreTold() throws Exception {
    Object email = add("fault", "deadline");
    confirm(email, mail(1));
    site.stopDestination();
    Map<String, Object> request = Site.transfer();
    request.put("deadline", Instant.now().plusSeconds(4).toString());
    Object task = rest.post("/api/v1/tasks", request).expect(201).json().get("task_id");
    assertThat(rest.end(task)).containsEntry("state", "failed");
    MimeMessage last = mail(2);
    assertThat(last.getSubject()).startsWith("fdt: task " + task);
    await("the deadline")
        .atMost(DEADLINE)
        .until(
            () ->
                mails().stream()
                    .anyMatch(
                        mail -> {
                          try {
                            return mail.getSubject().contains("has missed its deadline");
                          } catch (jakarta.mail.MessagingException e) {
                            return false;
                          }
                        }));
  }

  @Test
  void aMailServerThatIsAwayIsTriedAgain() throws Exception {
    int port = server.getSmtp().getPort();
    server.stop();
    Object email = add("end");
    await("an attempt")
        .atMost(DEADLINE)
        .until(() -> site.number("SELECT COUNT(*) FROM outbox WHERE attempts = 0") == 0);
    assertThat(site.number("SELECT COUNT(*) FROM outbox")).as("mails to be sent").isEqualTo(1);
    server = new GreenMail(new ServerSetup(port, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
    server.start();
    confirm(email, mail(1));
  }

  @Test
  void aMailIsGivenUpAfterADay() throws Exception {
    service.close();
    MovingClock clock = new MovingClock();
    ServiceOptions options = options(server.getSmtp().getPort());
    server.stop();
    try (TransferService later = TransferService.start(options, "tester", root, clock)) {
      rest = site.rest(later.url());
      add("end");
      awaitMails("attempts = 1", 1);

      clock.move(Duration.ofHours(23));
      awaitMails("attempts = 2", 1);
      clock.move(Duration.ofHours(2));
      awaitMails("attempts >= 0", 0);
    }
  }

  private void awaitMails(String which, long count) {
    await(which)
        .atMost(DEADLINE)
        .until(() -> site.number("SELECT COUNT(*) FROM outbox WHERE " + which) == count);
  }

  @Test
  void addressesAreAddresses() throws Exception {
    for (String bad :
        List.of(
            "alice",
            "a@b, c@d",
            "a b@c",
            "\"x\"@y",
            "a@b>",
            "<a@b>",
            "a@b\u0000",
            "a@b?cc=c@d",
            "@x",
            "-x@",
            "a@[127.0.0.1]")) {
      assertThat(rest.post("/api/v1/emails", Map.of("address", bad)).status())
          .as(bad)
          .isEqualTo(400);
    }
    add("end");
    rest.post("/api/v1/emails", Map.of("address", "alice@lab.example")).expect(409);
    rest.post("/api/v1/emails", Map.of("address", "a@b", "notify", List.of("all"))).expect(400);
    assertThat(root.resolve("fdt/service/service.db")).exists();
  }

  @Test
  void bookmarks() throws Exception {
    Map<String, Object> body = Map.of("name", "in", "endpoint", "b", "path", "/inc/x");
    rest.post("/api/v1/bookmarks", body).expect(201);
    rest.post("/api/v1/bookmarks", body).expect(409);
    rest.post("/api/v1/bookmarks", Map.of("name", "here", "endpoint", "local")).expect(201);
    rest.post("/api/v1/bookmarks", Map.of("name", "x y", "endpoint", "b")).expect(400);
    rest.post("/api/v1/bookmarks", Map.of("name", "no", "endpoint", "nowhere")).expect(404);
    assertThat(rest.get("/api/v1/bookmarks/in").expect(200).json())
        .containsEntry("endpoint", "b")
        .containsEntry("path", "/inc/x");
    assertThat(rest.get("/api/v1/bookmarks/here").expect(200).json())
        .containsEntry("endpoint", "local");
    assertThat((List<?>) rest.get("/api/v1/bookmarks").json().get("bookmarks")).hasSize(2);
    rest.send("DELETE", "/api/v1/bookmarks/in", null).expect(204);
    rest.send("DELETE", "/api/v1/bookmarks/in", null).expect(404);
    rest.get("/api/v1/bookmarks/in").expect(404);
  }

  @Test
  void optionsThatMakeNoSenseAreRefused() throws Exception {
    Path password = Files.writeString(root.resolve("password"), "x\n");
    for (List<String> bad :
        List.of(
            List.of("--mail-from", "a@b"),
            List.of("--mail-server", "h"),
            List.of("--mail-server", "h h", "--mail-from", "a@b"),
            List.of("--mail-server", "h", "--mail-from", "a@b", "--mail-tls", "maybe"),
            List.of("--mail-server", "h", "--mail-from", "a@b", "--mail-user", "u"),
            List.of(
                "--mail-server",
                "h",
                "--mail-from",
                "a@b",
                "--mail-user",
                "u",
                "--mail-password-file",
                password.toString(),
                "--mail-tls",
                "none"))) {
      assertThatThrownBy(() -> ServiceOptions.parse(bad, Map.of(), root))
          .as("%s", bad)
          .isInstanceOf(FdtException.class)
          .hasMessageContaining("--mail");
    }
  }
}
