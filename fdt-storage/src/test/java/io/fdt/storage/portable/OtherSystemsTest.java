package io.fdt.storage.portable;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.NameRule;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Root;
import io.fdt.core.model.Selection;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.DestinationTreeContract;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.RecordedWalk;
import io.fdt.core.storage.SharedFile;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.SourceTreeContract;
import io.fdt.core.storage.TimeSteps;
import io.fdt.core.storage.forward.DecodedSource;
import io.fdt.core.storage.forward.EncodedDestination;
import io.fdt.core.storage.synthetic.SyntheticContent;
import io.fdt.storage.local.destination.LocalDestination;
import io.fdt.storage.local.destination.LocalDestinationTest;
import io.fdt.storage.local.os.CallsOn;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.local.source.LocalSource;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The contracts on file systems in memory that are like those of other systems. They are more
 * lenient than real ones: Windows lets no open file be replaced, and reserves names.
 */
class OtherSystemsTest {
  /** With modes, and with directories that are opened. */
  private static final Configuration UNIX =
      Configuration.unix().toBuilder().setAttributeViews("basic", "owner", "posix").build();

  /** A file system, in which "out" is an empty directory. */
  private static final class Machine implements AutoCloseable {
    private final FileSystem files;
    private final CallsOn calls;

    Machine(Configuration configuration) throws Exception {
      this(configuration, 1);
    }

    /** With times that are rounded down to a step of so many nanoseconds. */
    Machine(Configuration configuration, long timeStep) throws Exception {
      files = Jimfs.newFileSystem(configuration);
      calls = new CallsOn(files, timeStep);
      Files.createDirectory(path("out"));
    }

    Path path(String relative) {
      return files.getPath(relative).toAbsolutePath();
    }

    /** With slashes, which Windows takes as well. */
    BytePath bytePath(String relative) {
      return BytePath.of(path(relative).toString().replace('\\', '/'));
    }

    @Override
    public void close() throws IOException {
      calls.close();
      files.close();
      assertThat(Syscalls.openDescriptors()).isZero();
    }
  }

  private abstract static class Destinations extends DestinationTreeContract {
    private final Configuration configuration;
    private Machine machine;

    Destinations(Configuration configuration) {
      this.configuration = configuration;
    }

    @BeforeEach
    void start() throws Exception {
      machine = new Machine(configuration);
    }

    @AfterEach
    void nothingStaysOpen() throws Exception {
      machine.close();
    }

    @Override
    public DestinationTree openTree() {
      return LocalDestination.trusted(machine.bytePath("out"), false);
    }

    @Override
    public void assertPublished(String path, FileName name, long size) throws Exception {
      byte[] content = contentOf(path);
      assertThat(content).hasSize(Math.toIntExact(size));
      assertThat(SyntheticContent.of(name).firstDifference(Unpooled.wrappedBuffer(content), 0))
          .isEqualTo(-1);
      assertThat(namesIn(machine.path("out").resolve(path).getParent()))
          .noneMatch(other -> other.endsWith(".part"));
    }

    @Override
    public byte[] contentOf(String path) throws Exception {
      return Files.readAllBytes(machine.path("out").resolve(path));
    }

    @Override
    public void assertNothingThere() throws Exception {
      assertThat(namesIn(machine.path("out"))).isEmpty();
    }

    private static List<String> namesIn(Path directory) throws Exception {
      try (Stream<Path> names = Files.list(directory)) {
        return names.map(Path::toString).toList();
      }
    }
  }

  private abstract static class Sources extends SourceTreeContract {
    private final Configuration configuration;
    private Machine machine;

    Sources(Configuration configuration) {
      this.configuration = configuration;
    }

    @Override
    public SourceTree openTree() throws Exception {
      machine = new Machine(configuration);
      for (String path : List.of("out/a/one", "out/a/b/two", "out/three")) {
        Path file = machine.path(path);
        ByteBuf content = Unpooled.buffer();
        SyntheticContent.of(FileName.of(file.getFileName().toString())).appendTo(content, SIZE, 0);
        Files.createDirectories(file.getParent());
        Files.write(file, ByteBufUtil.getBytes(content));
      }
      return LocalSource.trusted(List.of(Operand.of(machine.bytePath("out"))), true, Selection.ALL);
    }

    @AfterEach
    void nothingStaysOpen() throws Exception {
      machine.close();
    }
  }

  /** NTFS, ext3 and FAT. */
  @ParameterizedTest
  @ValueSource(longs = {100, 1_000_000_000, 2_000_000_000})
  void aTimeThatTheFileSystemRoundsIsThatOfTheSource(long step) throws Exception {
    Timestamp wanted = new Timestamp(1_600_000_001, 987_654_321);
    FileName name = FileName.of("name");
    try (Machine machine = new Machine(Configuration.windows(), step);
        DestinationTree tree = LocalDestination.trusted(machine.bytePath("out"), true)) {
      Root contents = new Root(null, EntryKind.DIRECTORY, 0755, wanted);
      DestinationDirectory directory = tree.open(List.of(contents)).directory();
      LocalDestinationTest.publish(directory, name, 10, 0644, wanted);
      Attributes found = directory.find(name).orElseThrow();
      assertThat(found.modified()).isEqualTo(TimeSteps.roundedDown(wanted, step));
      assertThat(directory.timeOf(found, wanted)).isEqualTo(wanted);
      assertThat(directory.timeOf(found, new Timestamp(1_600_000_003, 0)))
          .isEqualTo(found.modified());
    }
  }

  @Test
  void namesThatWindowsRefusesAreStoredEncodedAndFoundAgain() throws Exception {
    List<FileName> odd =
        Stream.concat(
                Stream.of("con", "NUL.txt", "a:b", "q?", "a\\b", "tab\t", "dot.", "blank ", "ok"),
                Stream.of("\uFF43on", "a\uFF1Ab", "\u201BFE", "<x>", "\"*|"))
            .map(FileName::of)
            .collect(Collectors.toCollection(ArrayList::new));
    odd.add(FileName.of(new byte[] {'l', (byte) 0xE4}));
    try (Machine machine = new Machine(Configuration.windows())) {
      TransferSpec encode = TransferSpec.builder().names(NameRule.ENCODE).build();
      Root contents = new Root(null, EntryKind.DIRECTORY, 0755, new Timestamp(1, 0));
      try (DestinationTree tree =
          EncodedDestination.of(LocalDestination.trusted(machine.bytePath("out"), true), encode)) {
        DestinationDirectory directory = tree.open(List.of(contents)).directory();
        for (FileName name : odd) {
          assertThat(tree.capabilities().names().allows(name)).isTrue();
          DestinationDirectory child = directory.makeDirectory(name);
          LocalDestinationTest.publish(child, name, 10, 0644, new Timestamp(1, 0));
          assertThat(child.find(name)).isPresent();
          assertThat(child.path()).endsWith("out/" + name);
        }
      }
      TransferSpec decode = TransferSpec.builder().names(NameRule.DECODE).build();
      List<Operand> out = List.of(Operand.of(machine.bytePath("out/")));
      try (SourceTree tree =
          DecodedSource.of(LocalSource.trusted(out, true, decode.selection()), decode)) {
        List<String> paths = odd.stream().map(name -> "out/" + name + "/" + name).toList();
        assertThat(RecordedWalk.of(tree).files).containsOnlyKeys(paths);
      }
    }
  }

  /** Other servers of SMB, and data nodes, have journals replaced while they are written. */
  @Test
  void aJournalIsReplacedWhereNoOpenFileCanBe() throws Exception {
    SourceVersion version = new SourceVersion(8 << 20, new Timestamp(1, 0), FileStamp.NONE);
    try (Machine machine = new Machine(Configuration.windows());
        DestinationTree tree = LocalDestination.trusted(machine.bytePath("out"), true)) {
      machine.calls.refuseToReplaceOpenFiles();
      Root file = new Root(FileName.of("name"), EntryKind.FILE, 0644, new Timestamp(1, 0));
      DestinationDirectory directory = tree.open(List.of(file)).directory();
      try (DestinationDirectory.PendingFile pending =
          directory.create(FileName.of("name"), FileShape.of(version, List.of()))) {
        assertThat(((SharedFile) pending).share().path().toString()).endsWith(".part");
        pending.discard();
      }
    }
  }

  @Nested
  class UnixDestination extends Destinations {
    UnixDestination() {
      super(UNIX);
    }
  }

  @Nested
  class MacDestination extends Destinations {
    MacDestination() {
      super(Configuration.osX());
    }
  }

  @Nested
  class WindowsDestination extends Destinations {
    WindowsDestination() {
      super(Configuration.windows());
    }
  }

  @Nested
  class UnixSource extends Sources {
    UnixSource() {
      super(UNIX);
    }
  }

  @Nested
  class MacSource extends Sources {
    MacSource() {
      super(Configuration.osX());
    }
  }

  @Nested
  class WindowsSource extends Sources {
    WindowsSource() {
      super(Configuration.windows());
    }
  }
}
