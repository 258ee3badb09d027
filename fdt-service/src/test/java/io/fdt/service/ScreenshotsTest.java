package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.core.model.FileName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pictures of the page in target/page: twelve of them, or all views in all sizes and colours with
 * {@code -Dfdt.screenshots=all} ({@code make screenshots}).
 */
@Timeout(600)
class ScreenshotsTest {
  private static final boolean ALL = "all".equals(System.getProperty("fdt.screenshots"));
  private static final String ONLY = System.getProperty("fdt.screenshots.only", "");

  /** A window. */
  private record Size(String name, int width, int height, boolean isPhone) {}

  private static final List<Size> SIZES =
      List.of(
          new Size("wide", 1680, 1000, false),
          new Size("laptop", 1280, 800, false),
          new Size("phone", 390, 844, true),
          new Size("tablet", 1024, 768, false));

  @TempDir private Path root;
  private PageUser user;
  private Browser browser;
  private Site site;
  private String limited;
  private int pictures;

  @BeforeEach
  void start() throws Exception {
    user = PageUser.start(root);
    browser = user.browser;
    site = user.site;
    limited = site.token("a", "limited", FileName.of("data"));
  }

  @AfterEach
  void end() throws Exception {
    if (user != null) {
      user.close();
    }
  }

  private void fill() throws Exception {
    for (int run = 36; run <= 42; run++) {
      site.write("run-%d/frame-0001.h5".formatted(run), 40_000, run);
    }
    Object[][] files = {
      {"calibration.h5", 18_400_000},
      {"detector.yaml", 4_300},
      {"flatfield.tif", 8_410_000},
      {"logbook-november.txt", 61_200},
      {"mask.npy", 2_097_280},
      {"README.md", 1_900},
      {"reduced-0001.nxs", 12_200_000},
      {"reduced-0002.nxs", 11_900_000},
      {"reduced-0003.nxs", 12_700_000},
      {"sample.cif", 88_100},
      {".lock", 0},
      {".settings", 310}
    };
    Instant day = Instant.parse("2026-11-24T08:12:00Z");
    for (int i = 0; i < files.length; i++) {
      site.write((String) files[i][0], (Integer) files[i][1], i);
      Files.setLastModifiedTime(
          site.data.resolve((String) files[i][0]), FileTime.from(day.plusSeconds(4_321L * i)));
    }
    site.write("run-42/frame-0002.h5", 24 << 20, 7);
    Files.createDirectories(site.data.resolve("empty"));
    for (String name : List.of("2025", "2026", "incoming")) {
      Files.createDirectories(site.incoming.resolve(name));
    }
    Files.writeString(site.incoming.resolve("checksums.sha256"), "0".repeat(7_300));
    // Directories in the way of files.
    for (int run = 36; run <= 40; run++) {
      Files.createDirectories(site.incoming.resolve("2025/run-%d/frame-0001.h5/x".formatted(run)));
    }
    Map<String, Object> beamline = Site.endpoint("beamline", site.source());
    beamline.put("token", limited);
    await("the server takes the token")
        .atMost(Duration.ofSeconds(60))
        .until(() -> user.rest().post("/api/v1/endpoints", beamline).status() == 201);
    user.rest().post("/api/v1/endpoints", Site.endpoint("archive", site.destination())).expect(201);
  }

  private Map<String, Object> task(String destination, String... paths) {
    Map<String, Object> task = Site.transfer();
    task.put("source_endpoint", "beamline");
    task.put("source_paths", List.of(paths));
    task.put("destination_endpoint", "archive");
    task.put("destination_path", destination);
    return task;
  }

  private Object submit(Map<String, Object> task) throws Exception {
    return user.rest().post("/api/v1/tasks", task).expect(201).json().get("task_id");
  }

  /** Pictures of what is shown: of one size and colour each for CI, of all otherwise. */
  private void shoot(String name) throws Exception {
    if (!ALL || !(name + "-").contains(ONLY)) {
      return;
    }
    for (Size size : SIZES) {
      for (String scheme : List.of("light", "dark")) {
        shoot(name, size, scheme);
      }
    }
  }

  /** The same, and one of a laptop and one of a phone for CI. */
  private void shootAlways(String name) throws Exception {
    shoot(name);
    if (!ALL) {
      shoot(name, SIZES.get(1), "light");
      shoot(name, SIZES.get(2), "dark");
    }
  }

  private void shoot(String name, Size size, String scheme) throws Exception {
    user.screen(size.width(), size.height(), size.isPhone());
    user.colours(scheme);
    browser.eval(
        "new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(r,"
            + " 150))))");
    browser.awaitTrue(
        "[document.documentElement, document.querySelector('.side')].every(e => !e || e.scrollWidth"
            + " <= innerWidth && e.scrollWidth <= e.clientWidth)");
    browser.picture("%s-%s-%s".formatted(name, size.name(), scheme));
    pictures++;
  }

  @Test
  void picturesOfEachView() throws Exception {
    user.screen(1280, 800, false);
    browser.open(user.service.url());
    browser.awaitText("Sign in");
    shoot("sign-in");
    user.signIn();
    browser.awaitText("Add an endpoint");
    shoot("files-first-visit");
    user.go("#/tasks");
    browser.awaitText("There are no tasks yet.");
    shoot("activity-empty");
    user.go("#/timers");
    browser.awaitText("There are no timers yet.");
    shoot("timers-empty");
    user.go("#/endpoints");
    browser.click("button", "Add an endpoint");
    browser.awaitText("Address");
    shoot("endpoint-add-address");
    browser.type("#add input[name=address]", "127.0.0.1:" + site.source().address().getPort());
    browser.type("#add input[name=name]", "beamline");
    browser.click("dialog button", "Next");
    browser.awaitText("Trust this server?");
    shoot("endpoint-add-trust");
    browser.click("dialog button", "Trust it");
    browser.type("dialog input[name=token]", "wrong");
    browser.click("dialog button", "Test and add");
    browser.awaitTrue("document.querySelector('.form-error').textContent !== ''");
    shoot("endpoint-add-refused");
    browser.click("dialog button", "Close");

    fill();
    user.go("#/files");
    user.open("Left", "beamline", "/data");
    user.open("Right", "archive", "/inc");
    for (String name : List.of("run-41", "run-42", "calibration.h5", "mask.npy")) {
      user.choose("Left", name);
    }
    shootAlways("files");
    browser.click(PageUser.pane("Left") + " button", "Transfer to archive");
    browser.awaitText(" files, ", "Dry run");
    shootAlways("sheet");
    browser.click("dialog button", "Dry run");
    browser.awaitTrue("!!document.querySelector('.preview')");
    shoot("sheet-dry-run");
    browser.click("dialog button", "Back");
    user.open("Left", "beamline", "/data/empty");
    shoot("files-empty");
    browser.click("button", "Left: type a path");
    browser.type(PageUser.pane("Left") + " input[name=path]", "/data/nowhere");
    browser.click(PageUser.pane("Left") + " button", "Open");
    browser.awaitText("no such directory");
    shoot("files-failing");
    browser.type(PageUser.pane("Left") + " input[name=path]", "/home");
    browser.click(PageUser.pane("Left") + " button", "Open");
    browser.awaitText("You may not look into this directory");
    shoot("files-no-permission");

    tasks();
    views();
    assertThat(pictures).isGreaterThanOrEqualTo(ONLY.isEmpty() ? 12 : 1);
  }

  private void tasks() throws Exception {
    Object done = submit(task("/inc/2026/", "/data/reduced-0001.nxs", "/data/reduced-0002.nxs"));
    user.rest().end(done);
    Map<String, Object> labelled = task("/inc/incoming/", "/data/");
    labelled.put("label", "Nightly mirror");
    user.rest().end(submit(labelled));
    Object failed = submit(task("/inc/2025", paths()));
    user.rest().end(failed);
    Map<String, Object> slow = task("/inc/2026/", "/data/run-42", "/data/calibration.h5");
    slow.put("limit", 2_500_000L);
    Object active = submit(slow);
    Map<String, Object> paused = task("/inc/2026/", "/data/flatfield.tif");
    paused.put("limit", 100_000L);
    Object stopped = submit(paused);
    user.rest().post("/api/v1/tasks/" + stopped + "/pause", null).expect(200);
    user.go("#/tasks/" + active);
    browser.awaitTrue("document.querySelector('progress')?.value >= " + (ALL ? 25 : 4));
    shootAlways("task");
    user.go("#/tasks");
    browser.awaitText("Nightly mirror", "failed");
    shootAlways("activity");
    browser.click("tbody tr:nth-child(2) input", "");
    browser.awaitText("1 selected");
    shoot("activity-selected");
    user.rest().post("/api/v1/tasks/" + active + "/cancel", null).expect(200);
    user.go("#/tasks/" + done);
    browser.awaitText("Succeeded");
    shoot("task-succeeded");
    user.go("#/tasks/" + failed);
    browser.awaitText("What to do");
    shootAlways("task-failed");
    user.go("#/tasks/0123456789");
    browser.awaitText("No such task");
    shoot("task-missing");
    user.go("#/nowhere");
    browser.awaitText("No such page");
    shoot("no-page");
  }

  private static String[] paths() {
    List<String> paths = new ArrayList<>();
    for (int run = 36; run <= 41; run++) {
      paths.add("/data/run-" + run);
    }
    return paths.toArray(String[]::new);
  }

  private void views() throws Exception {
    Map<String, Object> timer =
        Map.of(
            "name",
            "nightly",
            "interval",
            86_400L,
            "window",
            "22:00-06:00",
            "task",
            task("/inc/2026/", "/data/"));
    user.rest().post("/api/v1/timers", timer).expect(201);
    user.go("#/timers");
    browser.awaitText("nightly");
    shoot("timers");
    user.rest()
        .post("/api/v1/tokens", Map.of("label", "nightly script", "role", "user", "days", 30L))
        .expect(201);
    user.go("#/tokens");
    browser.awaitText("nightly script");
    shoot("tokens");
    user.rest().post("/api/v1/webhooks", Map.of("url", "http://127.0.0.1:9/done")).expect(201);
    user.go("#/notices");
    browser.awaitText("127.0.0.1:9");
    shoot("notices");
    user.go("#/admin/audit");
    browser.awaitText("submitted");
    shoot("admin-audit");
    user.go("#/admin/users");
    browser.awaitText("tester");
    shoot("admin-users");
    user.go("#/endpoints");
    browser.awaitTrue("document.querySelectorAll('.badge.succeeded').length === 3");
    browser.click("button", "Check beamline");
    browser.awaitText("beamline answers");
    shootAlways("endpoints");
    site.stopDestination();
    browser.click("button", "Check archive");
    browser.awaitText("does not answer");
    shoot("endpoints-failing");
    user.go("#/files");
    browser.set(PageUser.pane("Left") + " select", "archive");
    browser.awaitText("archive does not answer");
    shoot("files-unreachable");
  }
}
