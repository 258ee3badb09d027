package io.fdt.storage.local.destination;

import static io.fdt.core.storage.DestinationTreeContract.CONTENTS;
import static io.fdt.core.storage.DestinationTreeContract.MODIFIED;
import static io.fdt.core.storage.DestinationTreeContract.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Preservation;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.storage.local.LocalFileTest;
import io.fdt.storage.local.os.IdleDirectories;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Overwritten files are moved aside through open directories, never through a link. */
class BackupsTest extends LocalFileTest {
  private static final FileName NAME = FileName.of("name");

  private LocalDestination destination;
  private DestinationDirectory sub;

  @BeforeEach
  void open() throws Exception {
    sandbox.write("out/a/sub/name", "old");
    sandbox.directory("outside/sub");
    destination =
        LocalDestination.trusted(
            sandbox.bytePath("out"), true, Preservation.DEFAULT, Optional.of(BytePath.of("bak")));
    sub =
        destination
            .open(List.of(CONTENTS))
            .directory()
            .makeDirectory(FileName.of("a"))
            .makeDirectory(FileName.of("sub"));
  }

  @AfterEach
  void close() {
    destination.close();
  }

  private void overwrite() throws Exception {
    try (DestinationDirectory.PendingFile file = sub.create(NAME, FileShape.of(0))) {
      file.publish(0644, MODIFIED, Durability.NONE);
    }
  }

  @Test
  void aFileThatADirectoryReplacesIsKept() throws Exception {
    DestinationDirectory made = sub.replaceByDirectory(NAME);

    assertThat(made.isFresh()).isTrue();
    assertThat(sandbox.path("out/a/sub/name")).isEmptyDirectory();
    assertThat(sandbox.path("out/bak/a/sub/name")).hasContent("old");
  }

  @Test
  void aLinkInTheWayIsMovedAsideAndNotFollowed() throws Exception {
    sandbox.link("out/bak/a", "../../outside");

    overwrite();

    assertThat(sandbox.path("outside/sub")).isEmptyDirectory();
    assertThat(sandbox.path("out/bak/a/sub/name")).hasContent("old");
    assertThat(sandbox.path("out/a/sub/name")).isEmptyFile();
  }

  @Test
  void aLinkThatTookTheNameOfTheBackupsIsNotFollowedAndTheFileStays() throws Exception {
    Files.move(sandbox.path("out/bak"), sandbox.path("out/moved"));
    sandbox.link("out/bak", "../outside");
    IdleDirectories.OF_PROCESS
        .of(((LocalDestinationDirectory) sub).directory().scope())
        .forEach(IdleDirectories.Idle::closeIfIdle);

    assertFails(this::overwrite, ErrorCode.WRONG_KIND);

    assertThat(sandbox.path("outside/sub")).isEmptyDirectory();
    assertThat(sandbox.path("out/a/sub/name")).hasContent("old");
  }

  @Test
  void twoWritersOfOneDirectoryKeepBothWhereAnOlderBackupIsInTheWay() throws Exception {
    ExecutorService writers = Executors.newFixedThreadPool(2);
    try {
      for (int round = 0; round < 300; round++) {
        String made = "made" + round;
        sandbox.write("out/bak/a/sub/" + made, "older backup of a file");
        DestinationDirectory holder = sub.makeDirectory(FileName.of(made));
        CyclicBarrier start = new CyclicBarrier(2);
        List<Future<Void>> both = new ArrayList<>();
        for (String name : List.of("x", "y")) {
          sandbox.write("out/a/sub/" + made + "/" + name, "old " + name);
          both.add(
              writers.submit(
                  () -> {
                    try (DestinationDirectory.PendingFile file =
                        holder.create(FileName.of(name), FileShape.of(0))) {
                      start.await(30, TimeUnit.SECONDS);
                      file.publish(0644, MODIFIED, Durability.NONE);
                    }
                    return null;
                  }));
        }
        for (Future<Void> one : both) {
          one.get(30, TimeUnit.SECONDS);
        }
        assertThat(sandbox.path("out/bak/a/sub/" + made + "/x")).hasContent("old x");
        assertThat(sandbox.path("out/bak/a/sub/" + made + "/y")).hasContent("old y");
      }
    } finally {
      writers.shutdownNow();
    }
  }

  @Test
  void anOlderBackupThatIsALinkStaysAndIsNotFollowed() throws Exception {
    Path precious = sandbox.write("outside/precious", "precious");
    sandbox.directory("out/bak/a/sub");
    sandbox.link("out/bak/a/sub/name", "../../../../outside/precious");

    overwrite();

    assertThat(precious).hasContent("precious");
    assertThat(Files.isSymbolicLink(sandbox.path("out/bak/a/sub/name"))).isTrue();
    assertThat(sandbox.path("out/bak/a/sub/name.~1~")).hasContent("old");
  }

  @Test
  void whatIsABackupAlreadyStaysOne() throws Exception {
    sandbox.directory("out/bak/a/sub");
    Files.createLink(sandbox.path("out/bak/a/sub/name"), sandbox.path("out/a/sub/name"));

    overwrite();

    assertThat(sandbox.path("out/bak/a/sub/name")).hasContent("old");
    assertThat(sandbox.path("out/a/sub/name")).isEmptyFile();
  }

  @Test
  void theNextRunKeepsTheEarlierBackups() throws Exception {
    for (String content : List.of("first", "second", "third")) {
      sandbox.write("out/a/sub/name", content);
      overwrite();
    }

    assertThat(sandbox.path("out/bak/a/sub/name")).hasContent("first");
    assertThat(sandbox.path("out/bak/a/sub/name.~1~")).hasContent("second");
    assertThat(sandbox.path("out/bak/a/sub/name.~2~")).hasContent("third");
  }

  @Test
  void aFileStaysWhereNoNumberIsFree() throws Exception {
    sandbox.write("out/bak/a/sub/name", "backup");
    int most = 1_000_000;
    for (int number = 2; number < most; number = 2 * number + 2) { // the numbers that are probed
      sandbox.write("out/bak/a/sub/name.~" + number + "~", "backup");
    }
    sandbox.write("out/bak/a/sub/name.~" + most + "~", "backup");

    assertFails(this::overwrite, ErrorCode.BAD_NAME);

    assertThat(sandbox.path("out/a/sub/name")).hasContent("old");
    assertThat(sandbox.path("out/bak/a/sub/name.~" + most + "~")).hasContent("backup");
  }

  @Test
  void aFileWhoseNameHasNoRoomForANumberStaysWhenItHasABackup() throws Exception {
    FileName longest = FileName.of("n".repeat(FileName.MAX_LENGTH));
    sandbox.write("out/a/sub/" + longest, "new");
    sandbox.write("out/bak/a/sub/" + longest, "backup");

    assertFails(
        () -> {
          try (DestinationDirectory.PendingFile file = sub.create(longest, FileShape.of(0))) {
            file.publish(0644, MODIFIED, Durability.NONE);
          }
        },
        ErrorCode.BAD_NAME);

    assertThat(sandbox.path("out/a/sub/" + longest)).hasContent("new");
    assertThat(sandbox.path("out/bak/a/sub/" + longest)).hasContent("backup");
  }
}
