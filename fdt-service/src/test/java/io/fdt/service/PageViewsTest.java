package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.server.NamedTokens;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The views beside files and tasks, for users and administrators, and axe's view of all. */
@Timeout(180)
class PageViewsTest {
  /** All that axe finds, by all rules or by some. */
  private static final String AXE =
      """
      (async (...rules) => {
        const runOnly = rules.length === 0 ? undefined : rules;
        const found = await axe.run(document, {resultTypes: ['violations'], runOnly});
        return found.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 200) + ' ' + n.failureSummary).join(' | '))
            .join('\\n');
      })\
      """;

  @TempDir private Path root;
  private PageUser user;
  private Browser browser;

  @BeforeEach
  void start() throws Exception {
    user = PageUser.start(root);
    browser = user.browser;
    user.site.write("run/file", 1000, 1);
    user.site.addEndpoints(user.rest());
  }

  @AfterEach
  void end() throws Exception {
    if (user != null) {
      user.close();
    }
  }

  private void examine(String name) throws Exception {
    if (!Boolean.TRUE.equals(browser.eval("typeof axe === 'object'"))) {
      try (InputStream in = getClass().getResourceAsStream("/axe.min.js")) {
        browser.eval(new String(in.readAllBytes(), StandardCharsets.UTF_8) + "; true");
      }
    }
    user.colours("light");
    assertThat((String) browser.eval(AXE + "()")).as("%s, light", name).isEmpty();
    user.colours("dark"); // which changes colours, and nothing else
    assertThat((String) browser.eval(AXE + "('color-contrast')")).as("%s, dark", name).isEmpty();
  }

  @Test
  void axeFindsNothingOnAnyView() throws Exception {
    browser.open(user.service.url());
    browser.awaitText("Sign in");
    examine("sign-in");
    // It does look: a button without a name is found.
    browser.eval("document.querySelector('main').append(document.createElement('button')), true");
    assertThat((String) browser.eval(AXE + "()")).contains("button-name");
    user.signIn();
    user.open("Left", "a", "/data");
    user.open("Right", "b", "/inc");
    user.choose("Left", "run");
    examine("files");
    browser.click("section[aria-label=Left] summary", "Left: bookmarks");
    browser.click("button", "Right: type a path");
    browser.type("section[aria-label=Right] input[name=path]", "/inc/nowhere");
    browser.click("section[aria-label=Right] button", "Open");
    browser.awaitText("There is no such directory");
    examine("files-refused");
    user.screen(390, 800, true);
    browser.click("button", "Menu");
    examine("files-phone");
    browser.click("button", "Menu");
    user.screen(1200, 900, false);
    user.open("Right", "b", "/inc");
    browser.click("button", "Transfer to b");
    browser.awaitTrue("!!document.querySelector('dialog.sheet')");
    browser.eval("document.querySelectorAll('dialog details').forEach(d => { d.open = true; })");
    browser.click("dialog label", "Repeat by a timer");
    examine("sheet");
    browser.click("dialog label", "Repeat by a timer");
    browser.click("dialog button", "Dry run");
    browser.awaitText("1 file to transfer (1 new, 0 changed), 1000 B");
    examine("sheet-dry-run");
    browser.click("dialog button", "Back");
    browser.click("section[aria-label=Left] button", "Delete");
    browser.awaitText("There is no way back.");
    examine("question");
    browser.click("dialog button", "Back");

    Files.createDirectories(user.site.incoming.resolve("run/file"));
    Object failed = user.rest().post("/api/v1/tasks", Site.transfer()).json().get("task_id");
    user.rest().end(failed);
    Map<String, Object> slow = Site.slow();
    slow.put("limit", 1L);
    slow.put("destination_path", "/inc/other");
    Object active = user.rest().post("/api/v1/tasks", slow).expect(201).json().get("task_id");
    user.go("#/tasks");
    browser.awaitText("failed 1");
    examine("tasks");
    user.go("#/tasks/" + failed);
    browser.awaitText("What to do: ");
    examine("task-failed");
    user.go("#/tasks/" + active);
    browser.awaitTrue("!document.querySelector('section[aria-label=Rate]').hidden");
    examine("task-active");
    for (String view :
        List.of("endpoints", "timers", "notices", "tokens", "admin/tasks", "admin/users")) {
      user.go("#/" + view);
      examine(view.replace('/', '-'));
    }
    user.go("#/admin/audit");
    browser.awaitText("submitted ", "added endpoint a");
    examine("admin-audit");
    user.go("#/endpoints/add");
    browser.awaitTrue("!!document.querySelector('#add')");
    examine("endpoints-add");
    browser.type("#add input[name=address]", "127.0.0.1:1");
    browser.type("#add input[name=name]", "a");
    browser.click("dialog button", "Next");
    browser.awaitText("There is an endpoint 'a' already");
    browser.type("#add input[name=name]", "new");
    browser.click("dialog button", "Next");
    browser.awaitText("connection refused");
    examine("endpoints-add-refused");
    browser.click("dialog button", "Close");
    for (String view : List.of("nowhere", "tasks/nowhere", "%")) {
      user.go("#/" + view);
      browser.awaitText("No such");
      examine("no-" + view.replace('/', '-').replace('%', 'x'));
    }
    user.rest().post("/api/v1/tasks/" + active + "/cancel", null).expect(200);
  }

  @Test
  void ratesAndTimesAreShort() throws Exception {
    browser.open(user.service.url());
    browser.awaitText("Sign in");
    assertThat(
            browser.eval(
                """
                import('/format.js').then(({bytes, rateWord, time, until}) => [
                  bytes(6.1443932411674345), bytes(1023.6), rateWord(20971520), rateWord(1500 * 1024),
                  rateWord(1), rateWord(2 ** 41), until(undefined),
                  until(new Date(Date.now() + 4800).toISOString()),
                  until(new Date(Date.now() - 1).toISOString()),
                  until(new Date(2026, 0, 2, 3, 4).toISOString().replace('2026', '2126')).slice(0, 4),
                  time(new Date(2026, 0, 2, 3, 4, 5).toISOString())].join(' | '))\
                """))
        .isEqualTo(
            "6 B | 1.00 KiB | 20M | 1500K | 1K | 2048G |  | in 5 s | now | 2126"
                + " | 2026-01-02 03:04:05");
  }

  @Test
  void anEndpointIsChangedAndItsStateIsShown() throws Exception {
    user.signIn();
    user.go("#/endpoints");
    browser.awaitTrue("document.querySelectorAll('.badge.succeeded').length === 3");
    browser.click("button", "Modify b");
    browser.set("dialog input[name=max_tasks]", "7");
    browser.click("dialog button", "Modify");
    browser.awaitText("b was modified.");
    assertThat(user.rest().get("/api/v1/endpoints/b").json())
        .containsEntry("max_tasks", 7L)
        .containsEntry("token_from", "stored");

    String token = user.site.token("b", "second");
    await("the server takes the token")
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                user.rest()
                        .send(
                            "PATCH", "/api/v1/endpoints/b", Map.of("token", token), "If-Match", "*")
                        .status()
                    == 200);
    NamedTokens.ofHome(root.resolve("b")).revoke("second");
    await("its end")
        .atMost(Duration.ofSeconds(60))
        .until(() -> user.rest().post("/api/v1/endpoints/b/check", null).status() == 422);
    browser.click("button", "Check b");
    browser.awaitText("refuses access", "does not accept this token");
    assertThat(browser.text()).doesNotContain("does not answer");

    user.site.stopDestination();
    browser.click("button", "Check b");
    browser.awaitText("does not answer", "connection refused");
    examine("endpoints-away");
  }

  /** No other endpoint takes the place of one that is gone, unless the user chooses it. */
  @Test
  void aTaskWhoseEndpointWasRemovedIsSubmittedAgainToAChosenOneOnly() throws Exception {
    Object task = user.rest().post("/api/v1/tasks", Site.transfer()).json().get("task_id");
    user.rest().end(task);
    user.signIn();
    user.go("#/endpoints");
    browser.click("button", "Remove b");
    browser.click("dialog button", "Remove");
    browser.awaitTrue("document.querySelectorAll('tbody tr').length === 2");
    user.go("#/tasks/" + task);
    browser.click("button", "Submit again");
    browser.awaitTrue(
        "document.querySelector('dialog select[name=source_endpoint]')?.value === 'a'");
    String destination = "document.querySelector('dialog select[name=destination_endpoint]')";
    assertThat(browser.eval(destination + ".value")).isEqualTo("");
    browser.click("dialog button", "Start");
    browser.awaitTrue(destination + ".matches(':user-invalid')");
    assertThat((List<?>) user.rest().get("/api/v1/tasks").json().get("tasks")).hasSize(1);
    browser.set("dialog select[name=destination_endpoint]", "local");
    browser.type("dialog input[name=destination_path]", user.site.incoming + "/");
    browser.click("dialog button", "Start");
    browser.awaitTrue("location.hash !== '#/tasks/" + task + "'");
    user.awaitState("succeeded");
  }

  @Test
  void aTimerIsMadePausedAndRemoved() throws Exception {
    user.signIn();
    user.go("#/timers");
    browser.awaitText("There are no timers yet.");
    browser.click("button", "New timer");
    browser.set("dialog select[name=source_endpoint]", "a");
    browser.set("dialog select[name=destination_endpoint]", "b");
    browser.type("dialog textarea[name=source_paths]", "/data/run");
    browser.type("dialog input[name=destination_path]", "/inc/");
    browser.type("dialog input[name=timer]", "nightly");
    browser.set("dialog input[name=start]", "2098-01-01T03:00");
    browser.eval("document.querySelectorAll('dialog details').forEach(d => { d.open = true; })");
    browser.type("dialog input[name=max_age]", "7d");
    browser.click("dialog button", "Create the timer");
    browser.awaitText("nightly", "a:/data/run \u2192 b:/inc/", "every day", "2098-01-01 03:00");
    Map<String, Object> timer = user.rest().get("/api/v1/timers/nightly").expect(200).json();
    assertThat(timer.toString()).contains("interval=86400", "max_age=7d", "paused=false");

    browser.click("button", "Pause nightly");
    browser.awaitText("paused");
    assertThat(user.rest().get("/api/v1/timers/nightly").json()).containsEntry("paused", true);
    browser.click("button", "Resume nightly");
    browser.awaitTrue("!!document.querySelector('[aria-label=\"Pause nightly\"]')");
    browser.click("button", "Remove nightly");
    browser.click("dialog button", "Remove");
    browser.awaitText("There are no timers yet.");
    user.rest().get("/api/v1/timers/nightly").expect(404);
  }

  @Test
  void aTokenIsShownOnceAndAReaderSeesNoButtonsThatChangeThings() throws Exception {
    user.signIn();
    user.go("#/admin/users");
    browser.type("#role input[name=user]", "rita");
    browser.set("#role select[name=role]", "reader");
    browser.click("#role button", "Set the role");
    browser.awaitText("rita is reader now.");
    String role = "select[aria-label='Role of rita']";
    browser.set(role, "user");
    browser.awaitText("rita is user now.");
    browser.awaitTrue("document.querySelector(\"" + role + "\").value === 'user'");
    offline(true);
    browser.set(role, "admin");
    browser.awaitText("The service does not answer. Is it running?");
    assertThat(browser.eval("document.querySelector(\"" + role + "\").value"))
        .as("refused")
        .isEqualTo("user");
    offline(false);
    browser.set(role, "reader");
    browser.awaitText("rita is reader now.");

    user.go("#/tokens");
    browser.type("#new-token input[name=label]", "for a script");
    browser.type("#new-token input[name=days]", "7");
    browser.click("#new-token button", "Create a token");
    browser.awaitText("it is not shown again");
    String secret = (String) browser.eval("document.querySelector('dialog .secret').textContent");
    Rest script = new Rest(user.service.url(), secret);
    script.get("/api/v1/tasks").expect(200);
    script.post("/api/v1/tasks", Site.transfer()).expect(403); // the scope read only
    browser.click("dialog button", "I have it");
    browser.awaitText("for a script");
    assertThat((String) browser.eval("document.documentElement.outerHTML")).doesNotContain(secret);
    browser.click("button", "Revoke for a script");
    browser.click("dialog button", "Revoke");
    browser.awaitTrue("!document.body.innerText.includes('for a script')");
    script.get("/api/v1/tasks").expect(401);

    user.rest().post("/api/v1/endpoints/nowhere/check", null).expect(404);
    user.go("#/admin/audit");
    browser.click("#audit label", "Refused only");
    browser.click("#audit button", "Show");
    browser.awaitText("refused: there is no endpoint 'nowhere'");
    browser.awaitTrue("!document.querySelector('main').innerText.includes('done')");

    Object token =
        user.rest()
            .post("/api/v1/tokens", Map.of("label", "r", "user", "rita", "role", "user"))
            .expect(201)
            .json()
            .get("token");
    user.rest().send("PUT", "/api/v1/users/rita", Map.of("role", "user")).expect(200);
    Object link =
        new Rest(user.service.url(), (String) token)
            .post("/api/v1/links", null)
            .expect(201)
            .json()
            .get("path");
    user.rest().send("PUT", "/api/v1/users/rita", Map.of("role", "reader")).expect(200);
    browser.click("button", "Sign out");
    browser.awaitText("You are signed out.");
    browser.open(user.service.url() + link.toString().substring(1));
    browser.awaitText("rita", "There are no endpoints yet.");
    for (String view : List.of("tasks", "endpoints", "timers")) {
      user.go("#/" + view);
      assertThat(
              browser.eval(
                  "[...document.querySelectorAll('button')].map(b => b.textContent).join()"))
          .asString()
          .doesNotContain("Pause", "Add", "New timer");
    }
    assertThat(browser.eval("document.querySelector('nav a[href=\"#/tasks\"]') !== null"))
        .isEqualTo(true);
    assertThat(browser.eval("document.querySelector('nav a[href=\"#/admin\"]')")).isNull();
  }

  /** What is on the page stays when the service is away, and goes on when it is back. */
  @Test
  void aLostServiceIsSaidSo() throws Exception {
    user.signIn();
    user.go("#/tasks");
    offline(true);
    browser.click("button", "all 0");
    browser.awaitText("The service does not answer. Is it running?");
    offline(false);
    Object task = user.rest().post("/api/v1/tasks", Site.transfer()).json().get("task_id");
    browser.awaitTrue("!!document.querySelector('a[href=\"#/tasks/%s\"]')".formatted(task));
  }

  private void offline(boolean isOffline) throws Exception {
    browser.command("Network.enable", Map.of());
    browser.command(
        "Network.emulateNetworkConditions",
        Map.of(
            "offline",
            isOffline,
            "latency",
            0L,
            "downloadThroughput",
            -1L,
            "uploadThroughput",
            -1L));
  }

  @Test
  void aWebhookIsMadeItsSecretShownOnceAndItIsRemoved() throws Exception {
    user.signIn();
    user.go("#/notices");
    browser.type("#new-webhook input[name=url]", "http://127.0.0.1:9/x");
    browser.click("#new-webhook label", "at its end");
    browser.click("#new-webhook button", "Add the webhook");
    browser.awaitText("Choose at least one occasion.");
    browser.click("#new-webhook label", "at a fault");
    browser.click("#new-webhook button", "Add the webhook");
    browser.awaitText("The secret of its signatures");
    assertThat((String) browser.eval("document.querySelector('.secret').textContent"))
        .hasSizeGreaterThan(20);
    browser.click("dialog button", "I have it");
    browser.awaitText("http://127.0.0.1:9/x", "fault");
    browser.click("button", "Remove http://127.0.0.1:9/x");
    browser.click("dialog button", "Remove");
    browser.awaitTrue("!document.body.innerText.includes('127.0.0.1:9')");
    assertThat((List<?>) user.rest().get("/api/v1/webhooks").json().get("webhooks")).isEmpty();
  }
}
