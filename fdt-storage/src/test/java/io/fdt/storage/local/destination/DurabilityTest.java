package io.fdt.storage.local.destination;

import static io.fdt.core.storage.DestinationTreeContract.CONTENTS;
import static io.fdt.core.storage.DestinationTreeContract.MODIFIED;
import static io.fdt.core.storage.DestinationTreeContract.assertFails;
import static io.fdt.core.storage.DestinationTreeContract.writeContent;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.FileCut;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationDirectory.PendingFile;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.storage.PartialFile;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.LocalFileTest;
import io.fdt.storage.local.destination.partial.AbandonedFile;
import io.fdt.storage.local.destination.replace.FinishingCalls;
import io.fdt.storage.local.os.IdleDirectories;
import io.fdt.storage.posix.Errno;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The order in which a file is flushed or synced and gets its mode, time and name; an error of any
 * of these calls leaves the old file.
 */
class DurabilityTest extends LocalFileTest {
  private static final FileName NAME = FileName.of("data");
  private static final int SIZE = 1000;

  private final RecordedCalls calls = new RecordedCalls();
  private LocalDestination destination;
  private DestinationDirectory directory;

  @BeforeEach
  void open() throws Exception {
    sandbox.directory("out");
    destination =
        LocalDestination.trusted(
            sandbox.bytePath("out"),
            true,
            new LocalTree.Resources(OpenFileLimit.NONE, IdleDirectories.OF_PROCESS, calls));
    directory = destination.open(List.of(CONTENTS)).directory();
  }

  @AfterEach
  void close() {
    destination.close();
  }

  @Test
  void dataModeAndTimeAreForcedBeforeAFileGetsItsName() throws Exception {
    AtomicLong forced = new AtomicLong();
    try (PendingFile file = written(Partials.VERSION.size())) {
      file.publish(0640, MODIFIED, Durability.forced(forced::addAndGet));
    }
    assertThat(calls.made)
        .containsExactly("writeBack 0", "fsync", "chmod 640", "setModified", "fsync", "rename");
    assertThat(forced).hasValue(Partials.VERSION.size());
  }

  /** Sending it in pieces makes its progress visible. */
  @Test
  void theEndOfAStreamIsForcedThoughNobodyKnewItsSize() throws Exception {
    try (PendingFile file = directory.create(NAME, FileShape.of(FileShape.UNKNOWN_SIZE))) {
      writeContent(file, NAME, 0, SIZE);
      file.publish(0640, MODIFIED, Durability.FORCED);
    }
    assertThat(calls.made).containsExactly("fsync", "chmod 640", "setModified", "fsync", "rename");
  }

  @Test
  void whatIsReadBackIsForcedFirst() throws Exception {
    try (PendingFile file = written(SIZE)) {
      file.forget(bytes -> {});
      assertThat(calls.made).containsExactly("writeBack 0", "fsync", "dropCache");
    }
  }

  @Test
  void nothingIsForcedUnlessItIsAskedFor() throws Exception {
    try (PendingFile file = written(SIZE)) {
      file.publish(0640, MODIFIED, Durability.NONE);
    }
    assertThat(calls.made).containsExactly("chmod 640", "setModified", "rename");
  }

  @ParameterizedTest
  @CsvSource({"writeBack 0, 1", "fsync, 1", "fsync, 2"})
  void aFileThatCannotBeForcedNeverGetsItsName(String call, int which) throws Exception {
    calls.fail(call, which, Errno.EIO);
    try (PendingFile file = written(SIZE)) {
      assertFails(() -> file.publish(0640, MODIFIED, Durability.FORCED), ErrorCode.IO);
    }
    assertThat(calls.made).doesNotContain("rename");
    assertThat(names()).isEmpty();
  }

  /** The state of its bytes is unknown, and the next sync would not report it. */
  @Test
  void whatCouldNotBeForcedIsNotContinued() throws Exception {
    calls.fail("fsync", 1, Errno.EIO);
    try (PendingFile file =
        directory.create(Partials.NAME, FileShape.of(Partials.VERSION, List.of()))) {
      Partials.write(file, 0, 1, 2);
      assertFails(() -> file.publish(0640, MODIFIED, Durability.FORCED), ErrorCode.IO);
    }
    assertThat(names()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRangeCountsOnceItIsOnTheDevice(boolean fails) throws Exception {
    FileCut cut = new FileCut(Partials.VERSION.size(), 4L * Partials.BLOCK);
    SourceVersion version =
        new SourceVersion(cut.rangeBytes(), Partials.VERSION.modified(), Partials.VERSION.stamp());
    try (DestinationTree tree =
        RangeDestination.of(
            LocalDestination.trusted(
                sandbox.bytePath("out"),
                true,
                new LocalTree.Resources(OpenFileLimit.NONE, IdleDirectories.OF_PROCESS, calls)),
            cut.part(0))) {
      DestinationDirectory ranges = tree.open(List.of(CONTENTS)).directory();
      if (fails) {
        calls.fail("fsync", 1, Errno.EIO);
      }
      try (PendingFile file = ranges.create(Partials.NAME, FileShape.of(version, List.of()))) {
        Partials.write(file, 0, 1, 2, 3);
        if (fails) {
          assertFails(() -> file.publish(0640, MODIFIED, Durability.NONE), ErrorCode.IO);
        } else {
          file.publish(0640, MODIFIED, Durability.NONE);
        }
      }
      PartialFile found = ranges.findPartial(Partials.NAME, version);
      assertThat(found.isSettled()).isNotEqualTo(fails);
      assertThat(found.kept()).isEmpty();
      assertThat(calls.made).containsExactly("writeBack 0", "fsync");
    }
  }

  /** NFS and others have no sync_file_range; there fsync does it all. */
  @ParameterizedTest
  @ValueSource(ints = {Errno.EINVAL, Errno.ENOSYS, Errno.ESPIPE})
  void aFileSystemThatForcesNoPiecesForcesTheWhole(int answer) throws Exception {
    calls.fail("writeBack 0", 1, answer);
    try (PendingFile file = written(SIZE)) {
      file.publish(0640, MODIFIED, Durability.FORCED);
    }
    assertThat(calls.made)
        .containsExactly("writeBack 0", "fsync", "chmod 640", "setModified", "fsync", "rename");
    assertThat(names()).containsExactly("data");
  }

  /** NFS, CIFS and AFS report a used up quota when a file is closed. */
  @Test
  void anErrorAtCloseLeavesTheOldFile() throws Exception {
    calls.mayFailAtClose = true;
    calls.fail("flush", 1, Errno.EDQUOT);
    Files.writeString(sandbox.path("out/data"), "old");
    try (PendingFile file = written(SIZE)) {
      assertFails(() -> file.publish(0640, MODIFIED, Durability.NONE), ErrorCode.STORAGE_FULL);
    }
    assertThat(names()).containsExactly("data");
    assertThat(sandbox.path("out/data")).hasContent("old");
  }

  @ParameterizedTest
  @CsvSource({
    "flush, false",
    "chmod 640, false",
    "setModified, false",
    "rename, false",
    "writeBack 0, true",
    "fsync, true",
    "flush, true",
    "chmod 640, true",
    "setModified, true",
    "rename, true"
  })
  void anErrorOfAnyCallLeavesTheOldFile(String call, boolean durably) throws Exception {
    calls.mayFailAtClose = true;
    calls.fail(call, 1, Errno.EIO);
    Files.writeString(sandbox.path("out/data"), "old");
    try (PendingFile file = written(SIZE)) {
      assertFails(
          () -> {
            if (durably) {
              file.publish(0640, MODIFIED, Durability.FORCED);
            } else {
              file.publish(0640, MODIFIED, Durability.NONE);
            }
          },
          ErrorCode.IO);
    }
    assertThat(names()).containsExactly("data");
    assertThat(sandbox.path("out/data")).hasContent("old");
  }

  @Test
  void whatCloseReportsIsAskedForBeforeTheNameAndTheLockIsKept() throws Exception {
    calls.mayFailAtClose = true;
    try (PendingFile file = written(SIZE)) {
      file.publish(0640, MODIFIED, Durability.NONE);
    }
    assertThat(calls.made).containsExactly("flush", "chmod 640", "setModified", "rename");
    assertThat(calls.wasLockedAtRename).isTrue();
  }

  /** The next run would trust its journal. */
  @Test
  void whatCouldNotBeFlushedIsNotContinued() throws Exception {
    calls.mayFailAtClose = true;
    calls.fail("flush", 1, Errno.EIO);
    try (PendingFile file =
        directory.create(Partials.NAME, FileShape.of(Partials.VERSION, List.of()))) {
      Partials.write(file, 0, 1, 2);
      assertFails(() -> file.publish(0640, MODIFIED, Durability.NONE), ErrorCode.IO);
    }
    assertThat(names()).isEmpty();
  }

  /** A killed process does not see the error of its last close, and its journal says "written". */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatMayBeLostAtCloseIsReadBeforeItIsContinued(boolean mayFailAtClose) throws Exception {
    calls.mayFailAtClose = mayFailAtClose;
    try (PendingFile file =
        directory.create(Partials.NAME, FileShape.of(Partials.VERSION, List.of()))) {
      Partials.write(file, 0);
    }
    Path partial = sandbox.path("out").resolve(TemporaryName.of(Partials.NAME).toString());
    try (FileChannel lost = FileChannel.open(partial, StandardOpenOption.WRITE)) {
      lost.write(ByteBuffer.allocate(4096), 0);
    }
    assertThat(directory.findPartial(Partials.NAME, Partials.VERSION).kept())
        .hasSize(mayFailAtClose ? 0 : 1);
  }

  @Test
  void smallFilesAreWrittenUnderATemporaryNameWhereCloseMayFail() throws Exception {
    calls.mayFailAtClose = true;
    DestinationDirectory fresh = directory.makeDirectory(FileName.of("fresh"));
    assertThat(fresh.put(NAME, Unpooled.directBuffer(1), 0640, MODIFIED, FileMetadata.NONE))
        .isFalse();
  }

  private PendingFile written(long size) throws Exception {
    PendingFile file = directory.create(NAME, FileShape.of(size));
    writeContent(file, NAME, 0, SIZE);
    return file;
  }

  private String[] names() {
    return sandbox.path("out").toFile().list();
  }

  /** Makes the calls, and remembers them. */
  private static final class RecordedCalls extends FinishingCalls.KernelCalls {
    final List<String> made = new ArrayList<>();
    boolean mayFailAtClose;
    boolean wasLockedAtRename;
    private String failing = "";
    private int callsBeforeFailure;
    private int errno;

    /** Makes the {@code which}-th call of its kind fail, counted from 1. */
    void fail(String call, int which, int with) {
      failing = call;
      callsBeforeFailure = which;
      errno = with;
    }

    private boolean fails(String call) {
      made.add(call);
      return call.equals(failing) && --callsBeforeFailure == 0;
    }

    @Override
    public int writeBack(int descriptor, long offset, long length) {
      return fails("writeBack " + offset) ? -errno : super.writeBack(descriptor, offset, length);
    }

    @Override
    public int fsync(int descriptor) {
      return fails("fsync") ? -errno : super.fsync(descriptor);
    }

    @Override
    public boolean mayFailAtClose(int directory) {
      return mayFailAtClose;
    }

    @Override
    public int flush(int descriptor) {
      return fails("flush") ? -errno : super.flush(descriptor);
    }

    @Override
    public int dropCache(int descriptor) {
      return fails("dropCache") ? -errno : super.dropCache(descriptor);
    }

    @Override
    public int chmod(int descriptor, int mode) {
      return fails("chmod " + Integer.toOctalString(mode)) ? -errno : super.chmod(descriptor, mode);
    }

    @Override
    public int setModified(int descriptor, Timestamp modified) {
      return fails("setModified") ? -errno : super.setModified(descriptor, modified);
    }

    @Override
    public int rename(int directory, FileName from, FileName to) {
      wasLockedAtRename =
          AbandonedFile.examine(directory, TemporaryName.number(to)) == AbandonedFile.IN_USE;
      return fails("rename") ? -errno : super.rename(directory, from, to);
    }
  }
}
