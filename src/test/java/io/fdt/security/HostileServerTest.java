package io.fdt.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.ServerTrust;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that means it ill writes nothing outside of the client's destination. */
@Timeout(120)
class HostileServerTest {
  private static final String SECRET = "untouched";

  @TempDir Path directory;

  private Path here;
  private Path outside;

  @BeforeEach
  void makeVictim() throws Exception {
    here = Files.createDirectory(directory.resolve("here"));
    outside = Files.createDirectory(directory.resolve("outside"));
    Files.writeString(outside.resolve("victim"), SECRET);
  }

  @AfterEach
  void nothingOutsideHasChanged() {
    assertThat(directory.toFile().list()).containsExactlyInAnyOrder("here", "outside");
    assertThat(outside.toFile().list()).containsExactly("victim");
    assertThat(outside.resolve("victim")).hasContent(SECRET);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"..", ".", "", "/", "/etc", "../x", "a/b", "a/../../x", "..\0", "x\0y", "../"})
  void namesThatLeadElsewhereEndTheSession(String name) throws Exception {
    try (HostileServer server = new HostileServer("")) {
      assertBreaksTheRules(server.file(0, name, 0644));
    }
    if (!name.isEmpty()) {
      try (HostileServer server = new HostileServer(name)) {
        assertBreaksTheRules(server.file(0, "x", 0644));
      }
    }
    assertThat(here).isEmptyDirectory();
  }

  @Test
  void nothingStandsBeneathALinkOrAFile() throws Exception {
    try (HostileServer server = new HostileServer("")) {
      assertBreaksTheRules(server.link(0, "link", outside.toString()).file(1, "evil", 0644));
    }
    try (HostileServer server = new HostileServer("")) {
      assertBreaksTheRules(server.file(0, "plain", 0644).file(1, "evil", 0644));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 7, -1, Long.MIN_VALUE, Long.MAX_VALUE})
  void aParentThatWasNeverSentEndsTheSession(long parent) throws Exception {
    try (HostileServer server = new HostileServer("")) {
      assertBreaksTheRules(server.file(parent, "evil", 0644));
    }
  }

  @Test
  void aDirectoryInThePlaceOfALinkIsNotEntered() throws Exception {
    try (HostileServer server = new HostileServer("")) {
      server.link(0, "sub", outside.toString()).directory(0, "sub", 0755).file(2, "evil", 0644);

      TransferReport report = pull(server);

      assertThat(report.exitStatus()).isNotZero();
      assertThat(report.problems()).anyMatch(p -> p.code() == ErrorCode.WRONG_KIND);
    }
    assertThat(here.resolve("sub")).isSymbolicLink();
  }

  @Test
  void aLinkThatStoodThereBeforeIsNotEntered() throws Exception {
    Files.createSymbolicLink(here.resolve("sub"), outside);
    try (HostileServer server = new HostileServer("")) {
      server.directory(0, "sub", 0755).directory(1, "deeper", 0755).file(2, "evil", 0644);

      assertThat(pull(server).exitStatus()).isNotZero();
    }
  }

  @Test
  void aFileTakesThePlaceOfALinkAndNotOfWhatItPointsTo() throws Exception {
    try (HostileServer server = new HostileServer("")) {
      server.link(0, "file", outside.resolve("victim").toString()).file(0, "file", 0644);

      pull(server);
    }
    assertThat(Files.isSymbolicLink(here.resolve("file"))).isFalse();
    assertThat(here.resolve("file")).hasBinaryContent(HostileServer.EVIL);
  }

  @Test
  void noModeOfAPeerGrantsMoreThanItsPermissions() throws Exception {
    try (HostileServer server = new HostileServer("")) {
      server.file(0, "file", 07755).directory(0, "directory", 07755);

      TransferReport report = pull(server);

      assertThat(report.failureMessage() + report.problems()).isEqualTo("[]");
    }
    for (String name : new String[] {"file", "directory"}) {
      int mode = (int) Files.getAttribute(here.resolve(name), "unix:mode");
      assertThat(mode & 07777).as(name).isEqualTo(0755);
    }
    assertThat((int) Files.getAttribute(here, "unix:mode") & 07000).isZero();
    assertThat(here.resolve("file")).hasBinaryContent(HostileServer.EVIL);
  }

  @Test
  void nothingIsDeletedBesideWhatWasAskedFor() throws Exception {
    Files.createDirectory(here.resolve("other"));
    Files.writeString(here.resolve("other/kept"), "own");
    try (HostileServer server = new HostileServer("").deletesIn("other")) {
      TransferReport report = pull(server, true);

      assertThat(report.failure()).contains(ErrorCode.PROTOCOL);
      assertThat(report.failureMessage()).contains("deletes without a request");
    }
    assertThat(here.resolve("other/kept")).hasContent("own");
  }

  private void assertBreaksTheRules(HostileServer server) throws Exception {
    TransferReport report = pull(server);

    assertThat(report.failure()).contains(ErrorCode.PROTOCOL);
    assertThat(report.figures().files().done()).isZero();
    assertThat(report.failureMessage()).doesNotContain("\n", "\0");
  }

  private TransferReport pull(HostileServer server) throws Exception {
    return pull(server, false);
  }

  private TransferReport pull(HostileServer server, boolean deletes) throws Exception {
    try (FdtClient client =
        FdtClient.builder("127.0.0.1")
            .port(server.port())
            .trust(ServerTrust.pinned(server.fingerprint()))
            .token(AccessToken.of("fdt_any"))
            .idleTimeout(Duration.ofSeconds(20))
            .retryTimeout(Duration.ZERO)
            .build()) {
      TransferRequest request =
          TransferRequest.pull()
              .source("/data/")
              .destination(here)
              .destinationIsDirectory(true)
              .recursive(true)
              .delete(deletes)
              .streams(2)
              .build();
      return client.start(request, TransferListener.NONE).completion().get(60, TimeUnit.SECONDS);
    }
  }
}
