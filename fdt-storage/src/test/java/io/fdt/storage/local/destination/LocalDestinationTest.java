package io.fdt.storage.local.destination;

import static io.fdt.core.storage.DestinationTreeContract.CONTENTS;
import static io.fdt.core.storage.DestinationTreeContract.MODIFIED;
import static io.fdt.core.storage.DestinationTreeContract.assertFails;
import static io.fdt.core.storage.DestinationTreeContract.writeContent;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Root;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.TimeSteps;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.LinuxOnly;
import io.fdt.storage.local.LocalFileTest;
import io.fdt.storage.local.Sandbox;
import io.fdt.storage.local.os.FileCreationMask;
import io.fdt.storage.local.os.Syscalls;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Files, directories and links as they arrive on this machine. */
public class LocalDestinationTest extends LocalFileTest {
  private static final FileName NAME = FileName.of("name");
  private static final Root FILE = new Root(FileName.of("file"), EntryKind.FILE, 0644, MODIFIED);
  private static final Root TREE =
      new Root(FileName.of("tree"), EntryKind.DIRECTORY, 0755, MODIFIED);

  private LocalDestination destination;

  private DestinationTree.Base open(String relativePath, boolean mustBeDirectory, Root... roots)
      throws Exception {
    closeDestination();
    destination = LocalDestination.trusted(sandbox.bytePath(relativePath), mustBeDirectory);
    return destination.open(List.of(roots));
  }

  private DestinationDirectory openDirectory() throws Exception {
    return open("out", true, CONTENTS).directory();
  }

  @AfterEach
  void closeDestination() {
    if (destination != null) {
      destination.close();
      destination.close();
    }
  }

  @Test
  void onePlainFileAndNoDirectoryThereIsANewName() throws Exception {
    DestinationTree.Base base = open("a/b/new", false, FILE);
    assertThat(base.newName()).isEqualTo(FileName.of("new"));
    assertThat(base.directory().path()).isEqualTo(sandbox.path("a/b") + "/");
    assertThat(sandbox.path("a/b")).isDirectory();
    assertThat(sandbox.path("a/b/new")).doesNotExist();
    assertThat(base.directory().isFresh()).isTrue();
  }

  @Test
  void everythingElseGoesIntoTheDirectory() throws Exception {
    sandbox.directory("there");
    assertThat(open("there", false, FILE).newName()).isNull();
    assertThat(open("new1/", false, FILE).newName()).isNull();
    assertThat(open("new2/.", false, FILE).newName()).isNull();
    assertThat(open("new3", true, FILE).newName()).isNull();
    assertThat(open("new4", false, TREE).newName()).isNull();
    assertThat(open("new5/x", false, CONTENTS).newName()).isNull();
    assertThat(open("new6", false, FILE, TREE).newName()).isNull();
    for (String made : List.of("new1", "new2", "new3", "new4", "new5/x", "new6")) {
      assertThat(sandbox.path(made)).isDirectory();
    }
    assertThat(open("there", false, TREE).directory().isFresh()).isFalse();
  }

  @Test
  void withoutAnySourceNothingIsMade() throws Exception {
    sandbox.directory("there");
    assertThat(open("new", false).newName()).isNull();
    assertThat(open("a/b/", true).directory().path()).isEqualTo(sandbox.path("a/b") + "/");
    destination.force();
    assertThat(open("there", false).directory().isFresh()).isFalse();
    sandbox.write("file", "x");
    assertFails(() -> open("file/", false), ErrorCode.WRONG_KIND);
    assertThat(sandbox.path("new")).doesNotExist();
    assertThat(sandbox.path("a")).doesNotExist();
  }

  @Test
  void aDirectoryReplacesAFileOrALinkAndNothingElse() throws Exception {
    DestinationDirectory directory = openDirectory();
    sandbox.write("out/file", "x");
    sandbox.write("out/there/kept", "x");
    sandbox.directory("outside");
    sandbox.link("out/link", "../outside");
    for (String name : List.of("file", "link")) {
      assertThat(directory.replaceByDirectory(FileName.of(name)).isFresh()).isTrue();
      assertThat(sandbox.path("out/" + name)).isDirectory();
    }
    assertThat(Files.isSymbolicLink(sandbox.path("out/link"))).isFalse();
    assertThat(sandbox.path("outside")).isDirectory();
    assertThat(directory.replaceByDirectory(FileName.of("there")).isFresh()).isFalse();
    assertThat(sandbox.path("out/there/kept")).hasContent("x");
  }

  @Test
  void linksInWhatTheUserTypedAreFollowed() throws Exception {
    sandbox.directory("real");
    sandbox.link("way", "real");
    sandbox.link("dangling", "nowhere");
    assertThat(open("way", false, FILE).newName()).isNull();
    DestinationDirectory through = open("way/sub", false, TREE).directory();
    through.makeDirectory(NAME);
    assertThat(sandbox.path("real/sub/name")).isDirectory();
    assertThat(open("dangling", false, FILE).newName()).isEqualTo(FileName.of("dangling"));
    assertFails(() -> open("dangling", false, TREE), ErrorCode.WRONG_KIND);
    assertThat(sandbox.path("nowhere")).doesNotExist();
  }

  @Test
  void fileWhereADirectoryIsNeededIsNamed() throws Exception {
    sandbox.write("file", "x");
    assertThat(assertFails(() -> open("file", false, TREE), ErrorCode.WRONG_KIND))
        .hasMessageContaining(sandbox.path("file").toString());
    assertFails(() -> open("file/sub", false, TREE), ErrorCode.WRONG_KIND);
    assertFails(() -> open("file/sub", false, FILE), ErrorCode.WRONG_KIND);
    assertFails(() -> open("file/", false, FILE), ErrorCode.WRONG_KIND);
    assertThat(open("file", false, FILE).newName()).isEqualTo(FileName.of("file"));
  }

  @Test
  void directoriesOnTheWayHaveTheModeOfMkdir() throws Exception {
    open("a/b", true, FILE);
    Process umask = new ProcessBuilder("sh", "-c", "umask").start();
    String mask =
        new String(umask.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).trim();
    assertThat(mode("a")).isEqualTo(0777 & ~Integer.parseInt(mask, 8));
    assertThat(mode("a/b")).isEqualTo(mode("a"));
  }

  @LinuxOnly("nanoseconds")
  @Test
  void modeAndTimeArriveWithoutTheMaskAndWithoutSetuid() throws Exception {
    DestinationDirectory directory = openDirectory();
    publish(directory, NAME, 1, 06777, new Timestamp(-631_054_555L, 123_456_789));
    assertThat(mode("out/name")).isEqualTo(0777);
    Attributes attributes = directory.find(NAME).orElseThrow();
    assertThat(attributes.modified()).isEqualTo(new Timestamp(-631_054_555L, 123_456_789));
    publish(directory, FileName.of("secret"), 1, 0, MODIFIED);
    assertThat(mode("out/secret")).isZero();
    publish(directory, FileName.of("own"), 1, 0600, MODIFIED);
    assertThat(mode("out/own")).isEqualTo(0600);
  }

  @Test
  void growingFileIsForItsOwnerOnly() throws Exception {
    DestinationDirectory directory = openDirectory();
    DestinationDirectory inner = directory.makeDirectory(FileName.of("inner"));
    assertThat(mode("out/inner")).isEqualTo(0700);
    try (DestinationDirectory.PendingFile file = inner.create(NAME, FileShape.of(5))) {
      Path temporary = sandbox.path("out/inner").resolve(TemporaryName.of(NAME).toString());
      assertThat(temporary).exists();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(temporary)))
          .isEqualTo("rw-------");
      assertThat(file).isNotNull();
    }
    inner.finish(0751, MODIFIED, Durability.NONE);
    assertThat(mode("out/inner")).isEqualTo(0751);
    assertThat(directory.find(FileName.of("inner")).orElseThrow().modified())
        .isEqualTo(TimeSteps.roundedDown(MODIFIED, Syscalls.capabilities().timeStep()));
  }

  @Test
  void directoryWithoutATimeGetsTheUsualModeWhenItIsNewAndKeepsItsOwnElse() throws Exception {
    sandbox.directory("out/there");
    Files.setPosixFilePermissions(
        sandbox.path("out/there"), PosixFilePermissions.fromString("rwx-w----"));
    DestinationDirectory directory = openDirectory();
    directory.makeDirectory(FileName.of("there")).finish(0755, null, Durability.NONE);
    assertThat(mode("out/there")).isEqualTo(0720);
    directory.makeDirectory(FileName.of("new")).finish(0755, null, Durability.NONE);
    assertThat(mode("out/new")).isEqualTo(FileCreationMask.applyTo(0755));
  }

  @Test
  void sharedDirectoryStaysShared() throws Exception {
    Path shared = sandbox.directory("out/shared");
    assertThat(new ProcessBuilder("chmod", "3777", shared.toString()).start().waitFor()).isZero();
    DestinationDirectory directory = openDirectory().makeDirectory(FileName.of("shared"));
    assertThat(directory.isFresh()).isFalse();
    directory.finish(0755, MODIFIED, Durability.NONE);
    assertThat(directory.find(NAME)).isEmpty();
    assertThat(mode("out/shared")).isEqualTo(03755);
  }

  @Test
  void baseDirectoryCanBeFinished() throws Exception {
    openDirectory().finish(0500, MODIFIED, Durability.NONE);
    assertThat(mode("out")).isEqualTo(0500);
  }

  @Test
  void publishedFileReplacesAFileOrALinkButNoDirectory() throws Exception {
    sandbox.write("out/file", "old and longer than the new one");
    sandbox.write("elsewhere", "untouched");
    sandbox.link("out/link", "../elsewhere");
    sandbox.directory("out/directory");
    DestinationDirectory directory = openDirectory();
    publish(directory, FileName.of("file"), 5, 0644, MODIFIED);
    publish(directory, FileName.of("link"), 5, 0644, MODIFIED);
    assertThat(Files.size(sandbox.path("out/file"))).isEqualTo(5);
    assertThat(Files.isSymbolicLink(sandbox.path("out/link"))).isFalse();
    assertThat(sandbox.path("elsewhere")).hasContent("untouched");
    FileName taken = FileName.of("directory");
    assertFails(() -> publish(directory, taken, 5, 0644, MODIFIED), ErrorCode.WRONG_KIND);
    assertFails(() -> directory.create(taken, FileShape.of(5 << 20)), ErrorCode.WRONG_KIND);
    assertNoTemporaries();
  }

  @Test
  void makeDirectoryTakesADirectoryThatIsThereAndNothingElse() throws Exception {
    sandbox.directory("out/directory");
    sandbox.write("out/file", "x");
    sandbox.link("out/link", "directory");
    DestinationDirectory directory = openDirectory();
    assertThat(directory.makeDirectory(FileName.of("directory")).isFresh()).isFalse();
    assertThat(directory.makeDirectory(FileName.of("new")).isFresh()).isTrue();
    assertFails(() -> directory.makeDirectory(FileName.of("file")), ErrorCode.WRONG_KIND);
    assertFails(() -> directory.makeDirectory(FileName.of("link")), ErrorCode.WRONG_KIND);
  }

  @LinuxOnly("nanoseconds")
  @Test
  void linksArriveWithTheirTimeAndReplaceFilesAndLinks() throws Exception {
    sandbox.write("out/file", "x");
    sandbox.link("out/other", "old");
    Path same = sandbox.link("out/same", "target");
    sandbox.directory("out/directory");
    Object inode = Files.getAttribute(same, "unix:ino", LinkOption.NOFOLLOW_LINKS);
    DestinationDirectory directory = openDirectory();
    BytePath target = BytePath.of(new byte[] {'t', 'a', 'r', 'g', 'e', 't'});
    for (String name : List.of("new", "file", "other", "same")) {
      directory.makeLink(FileName.of(name), target, MODIFIED, null, warning -> {});
      assertThat(Files.readSymbolicLink(sandbox.path("out/" + name))).hasToString("target");
      Attributes attributes = directory.find(FileName.of(name)).orElseThrow();
      assertThat(attributes.kind()).contains(EntryKind.SYMLINK);
      assertThat(attributes.modified()).isEqualTo(MODIFIED);
    }
    assertThat(Files.getAttribute(same, "unix:ino", LinkOption.NOFOLLOW_LINKS)).isEqualTo(inode);
    assertFails(
        () -> directory.makeLink(FileName.of("directory"), target, MODIFIED, null, warning -> {}),
        ErrorCode.WRONG_KIND);
    assertNoTemporaries();
  }

  @Test
  void namesOfAnyBytesAndOfFullLengthArrive() throws Exception {
    DestinationDirectory directory = openDirectory();
    byte[] longest = new byte[255];
    Arrays.fill(longest, (byte) 0xFE);
    for (byte[] bytes : List.of(longest, new byte[] {'\n', 1, (byte) 0x80}, new byte[] {'-'})) {
      FileName name = FileName.of(bytes);
      publish(directory, name, 10, 0644, MODIFIED);
      assertThat(directory.find(name).orElseThrow().size()).isEqualTo(10);
      byte[] other = bytes.clone();
      other[0]--;
      DestinationDirectory inner = directory.makeDirectory(FileName.of(other));
      inner.makeLink(name, BytePath.of(bytes), MODIFIED, null, warning -> {});
      assertThat(inner.find(name).orElseThrow().size()).isEqualTo(bytes.length);
    }
  }

  @Test
  void abandonedTemporaryFileIsReplaced() throws Exception {
    Path left = sandbox.write("out/" + TemporaryName.of(NAME), "left by a dead transfer");
    publish(openDirectory(), NAME, 5, 0644, MODIFIED);
    assertThat(left).doesNotExist();
    assertThat(Files.size(sandbox.path("out/name"))).isEqualTo(5);
  }

  @Test
  void linkUnderTheTemporaryNameIsNotFollowed() throws Exception {
    sandbox.write("victim", "precious");
    sandbox.directory("out");
    sandbox.link("out/" + TemporaryName.of(NAME), "../victim");
    DestinationDirectory directory = openDirectory();
    assertFails(() -> directory.create(NAME, FileShape.of(5)), ErrorCode.WRONG_KIND);
    assertThat(sandbox.path("victim")).hasContent("precious");
  }

  @Test
  void otherTransferOfTheSameFileIsInUse() throws Exception {
    DestinationDirectory directory = openDirectory();
    DestinationDirectory.PendingFile first = directory.create(NAME, FileShape.of(5));
    try (LocalDestination other = LocalDestination.trusted(sandbox.bytePath("out"), true)) {
      DestinationDirectory same = other.open(List.of(CONTENTS)).directory();
      assertFails(() -> same.create(NAME, FileShape.of(5)), ErrorCode.IN_USE);
    }
    writeContent(first, NAME, 0, 5);
    first.publish(0644, MODIFIED, Durability.NONE);
    assertThat(Files.size(sandbox.path("out/name"))).isEqualTo(5);
  }

  @Test
  void closingTheDestinationRemovesWhatWasNotPublished() throws Exception {
    DestinationDirectory directory = openDirectory();
    publish(directory, NAME, 5, 0644, MODIFIED);
    DestinationDirectory inner = directory.makeDirectory(FileName.of("inner"));
    inner.create(NAME, FileShape.of(5));
    DestinationDirectory.PendingFile pending =
        inner.create(FileName.of("other"), FileShape.of(2 << 20));
    destination.close();
    assertNoTemporaries();
    assertThat(sandbox.path("out/name")).exists();
    assertFails(() -> writeContent(pending, NAME, 0, 5), ErrorCode.CANCELLED);
    assertFails(() -> pending.publish(0644, MODIFIED, Durability.NONE), ErrorCode.CANCELLED);
    assertFails(() -> inner.create(NAME, FileShape.of(5)), ErrorCode.CANCELLED);
    assertThat(Syscalls.openDescriptors()).isZero();
  }

  @Test
  void baseThatIsMovedAsideStaysTheBase() throws Exception {
    DestinationDirectory directory = openDirectory();
    Files.move(sandbox.path("out"), sandbox.path("moved"));
    sandbox.directory("out");
    publish(directory, NAME, 5, 0644, MODIFIED);
    assertThat(sandbox.path("moved/name")).exists();
    assertThat(sandbox.path("out/name")).doesNotExist();
  }

  @Test
  void unwritableDirectoryIsPermission() throws Exception {
    sandbox.directory("out/there");
    Files.setPosixFilePermissions(sandbox.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
    Sandbox.asOrdinaryUser(
        () -> {
          DestinationDirectory directory = openDirectory();
          assertThat(directory.makeDirectory(FileName.of("there")).isFresh()).isFalse();
          assertFails(() -> directory.create(NAME, FileShape.of(5)), ErrorCode.PERMISSION);
          assertFails(() -> directory.makeDirectory(NAME), ErrorCode.PERMISSION);
          assertFails(
              () -> directory.makeLink(NAME, BytePath.of("x"), MODIFIED, null, warning -> {}),
              ErrorCode.PERMISSION);
          assertThat(directory.finish(0700, MODIFIED, Durability.NONE))
              .as("its owner is another user")
              .extracting(FdtException::code)
              .containsExactly(ErrorCode.PERMISSION, ErrorCode.PERMISSION);
          assertFails(() -> open("new", true, FILE), ErrorCode.PERMISSION);
        });
  }

  @Test
  void bytesBeyondFourGibibytesAreWritten() throws Exception {
    long size = (1L << 32) + 100;
    DestinationDirectory directory = openDirectory();
    try (DestinationDirectory.PendingFile file = directory.create(NAME, FileShape.of(0))) {
      writeContent(file, NAME, size - 100, 100);
      file.publish(0644, MODIFIED, Durability.NONE);
    }
    assertThat(Files.size(sandbox.path("out/name"))).isEqualTo(size);
  }

  public static void publish(
      DestinationDirectory directory, FileName name, int size, int mode, Timestamp modified)
      throws Exception {
    try (DestinationDirectory.PendingFile file = directory.create(name, FileShape.of(size))) {
      writeContent(file, name, 0, size);
      file.publish(mode, modified, Durability.NONE);
    }
  }

  private int mode(String relative) throws Exception {
    return (int) Files.getAttribute(sandbox.path(relative), "unix:mode") & 07777;
  }

  private void assertNoTemporaries() throws Exception {
    try (Stream<Path> all = Files.walk(sandbox.path("out"))) {
      assertThat(all.map(Path::toString)).noneMatch(path -> path.endsWith(".part"));
    }
  }
}
