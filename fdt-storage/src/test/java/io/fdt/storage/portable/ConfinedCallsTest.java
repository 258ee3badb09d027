package io.fdt.storage.portable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.storage.posix.Flags;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Another user, or a peer of this process, swaps an open directory for a link: calls stay within
 * the directory.
 */
@ParameterizedClass
@ValueSource(strings = {"rwxrwxrwx", ConfinedCallsTest.ONLY_OURS})
class ConfinedCallsTest {
  static final String ONLY_OURS = "rwxr-xr-x";

  private final String mode;

  private static final FileName NAME = FileName.of("name");
  private static final FileName SECRET = FileName.of("secret");
  private static final int DIRECTORY = Flags.O_PATH | Flags.O_DIRECTORY;

  @TempDir Path temporary;

  private final PortableCalls calls = new PortableCalls(FileSystems.getDefault());
  private Path outside;
  private Path moved;
  private int export;
  private int sub;

  ConfinedCallsTest(String mode) {
    this.mode = mode;
  }

  @BeforeEach
  void swapADirectoryForALink() throws Exception {
    Path root = Files.createDirectory(temporary.resolve("export"));
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString(mode));
    outside = Files.createDirectory(temporary.resolve("outside"));
    Files.writeString(outside.resolve("secret"), "outside");
    export =
        calls.open(Flags.AT_FDCWD, root.toString().getBytes(StandardCharsets.UTF_8), DIRECTORY, 0);
    assertThat(calls.mkdir(export, FileName.of("sub"), 0700)).isZero();
    sub = calls.open(export, FileName.of("sub"), DIRECTORY | Flags.O_NOFOLLOW, 0);
    assertThat(sub).isPositive();
    moved = root.resolve("moved");
    Files.move(root.resolve("sub"), moved);
    Files.createSymbolicLink(root.resolve("sub"), outside);
  }

  @AfterEach
  void nothingHappenedOutside() throws Exception {
    assertThat(calls.close(sub)).isZero();
    assertThat(calls.close(export)).isZero();
    assertThat(outside).isDirectoryContaining("glob:**/secret");
    assertThat(outside.toFile().list()).hasSize(1);
    assertThat(outside.resolve("secret")).hasContent("outside");
    assertThat(temporary.resolve("export").toFile().list())
        .containsExactlyInAnyOrder("sub", "moved");
  }

  @Test
  void aDirectoryIsMadeInTheOpenDirectoryOrNowhere() {
    boolean isMade = calls.mkdir(sub, NAME, 0700) == 0;
    assertThat(isMade).isEqualTo(!mode.equals(ONLY_OURS));
    assertThat(moved.resolve("name").toFile().isDirectory()).isEqualTo(isMade);
    assertThat(calls.rmdir(sub, NAME) == 0).isEqualTo(isMade);
    assertThat(moved).isEmptyDirectory();
  }

  @Test
  void aLinkIsMadeInTheOpenDirectoryOrNowhere() {
    byte[] target = "elsewhere".getBytes(StandardCharsets.UTF_8);
    boolean isMade = calls.symlink(target, sub, NAME) == 0;
    assertThat(isMade).isEqualTo(!mode.equals(ONLY_OURS));
    assertThat(Files.isSymbolicLink(moved.resolve("name"))).isEqualTo(isMade);
  }

  @Test
  void aFileIsMadeChangedAndRemovedInTheOpenDirectory() throws Exception {
    int file = calls.open(sub, NAME, Flags.O_RDWR | Flags.O_CREAT | Flags.O_EXCL, 0600);
    assertThat(file).isPositive();
    assertThat(calls.tryLock(file)).isZero();
    assertThat(calls.chmod(file, 0640)).isZero();
    assertThat(calls.setModified(file, new Timestamp(1_000_000_000, 0))).isZero();
    assertThat(calls.close(file)).isZero();
    assertThat(Files.getPosixFilePermissions(moved.resolve("name")))
        .isEqualTo(PosixFilePermissions.fromString("rw-r-----"));
    assertThat(calls.rename(sub, NAME, sub, SECRET)).isZero();
    assertThat(calls.unlink(sub, SECRET)).isZero();
    assertThat(moved).isEmptyDirectory();
  }

  @Test
  void nothingOutsideIsSeenReadOrLinked() {
    assertThat(calls.statx(sub, SECRET, Flags.AT_SYMLINK_NOFOLLOW)).isNegative();
    assertThat(calls.open(sub, SECRET, Flags.O_FILE, 0)).isNegative();
    assertThat(calls.unlink(sub, SECRET)).isNegative();
    assertThat(calls.link(sub, SECRET, export, NAME)).isNegative();
  }

  @Test
  void aFileOutsideIsNotLinkedInPlaceOfItsNamesake() throws Exception {
    Files.writeString(moved.resolve("secret"), "inside");
    assertThat(calls.link(sub, SECRET, export, NAME)).isNegative();
  }
}
