package io.fdt.core.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.engine.meter.CheckMeter;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Root;
import io.fdt.core.model.SyncRule;
import io.fdt.core.model.Timestamp;
import io.fdt.core.session.receiver.PlacedEntry;
import io.fdt.core.spec.Assurance;
import io.fdt.core.spec.Specs;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.Capabilities;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.DestinationTreeContract;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.forward.ForwardingDirectory;
import io.fdt.storage.local.destination.DryRunDestination;
import io.fdt.storage.local.destination.LocalDestination;
import io.fdt.storage.local.os.CallsOn;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The placement of entries in a real directory. */
class EntryPlacerTest {
  private static final Timestamp MODIFIED = DestinationTreeContract.MODIFIED;

  @TempDir Path root;

  /** A file kept by --sync size may have other bytes: no other name is linked to it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anotherNameIsNotLinkedToAFileThatOnlyAnotherRuleOfSyncLeavesAlone(boolean isEqual)
      throws Exception {
    Path first = Files.writeString(Files.createDirectory(root.resolve("out")).resolve("a"), "old");
    Files.setLastModifiedTime(
        first,
        FileTime.from(
            java.time.Instant.ofEpochSecond(
                isEqual ? MODIFIED.seconds() : 1, isEqual ? MODIFIED.nanos() : 0)));
    List<PlacedEntry<ReceivedFileWriter>> outcomes = new ArrayList<>();
    TransferSpec spec =
        TransferSpec.builder().sync(new SyncRule(SyncRule.Level.SIZE, false)).build();
    try (LocalDestination destination =
        LocalDestination.trusted(BytePath.of(root.resolve("out")), true)) {
      EntryPlacer placer =
          new EntryPlacer(
              destination, spec, new Replacements(spec, new CheckMeter()), new FirstNames(10));
      placer.open(List.of(DestinationTreeContract.CONTENTS));
      placer.place(List.of(entry(1, "a", 0, 2), entry(2, "b", 1, 0)), outcomes);
      placer.close();
    }
    assertThat(outcomes).hasSize(2);
    assertThat(outcomes.get(0)).isInstanceOf(PlacedEntry.Unchanged.class);
    assertThat(outcomes.get(1))
        .isInstanceOf(isEqual ? PlacedEntry.AnotherName.class : PlacedEntry.Wanted.class);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFileAboveTheMostOfFatFailsBeforeItMoves(boolean isDryRun) throws Exception {
    List<PlacedEntry<ReceivedFileWriter>> outcomes = new ArrayList<>();
    TransferSpec spec = TransferSpec.builder().dryRun(isDryRun).build();
    BytePath out = BytePath.of(Files.createDirectory(root.resolve("out")));
    CallsOn fat = CallsOn.fileSystemsOfType(0x4D44);
    try (fat;
        DestinationTree destination =
            isDryRun
                ? DryRunDestination.trusted(out, true, spec.preservation(), Optional.empty())
                : LocalDestination.trusted(out, true)) {
      EntryPlacer placer =
          new EntryPlacer(
              destination, spec, new Replacements(spec, new CheckMeter()), new FirstNames(10));
      placer.open(List.of(DestinationTreeContract.CONTENTS));
      placer.place(List.of(file("most", 0xFFFF_FFFFL), file("more", 0x1_0000_0000L)), outcomes);
      placer.close();
    }
    assertThat(outcomes).hasSize(2);
    assertThat(outcomes.get(0)).isNotInstanceOf(PlacedEntry.Failed.class);
    assertThat(((PlacedEntry.Failed<?>) outcomes.get(1)).cause())
        .hasMessageContaining("more' has 4.00 GiB, too many for a file of this file system");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void newDirectoriesAreForcedIntoTheirParentsAndAgainWhenTheyAreFinished(boolean durable)
      throws Exception {
    List<PlacedEntry<ReceivedFileWriter>> outcomes = new ArrayList<>();
    try (ForcedTree tree = new ForcedTree(BytePath.of(root.resolve("made/out")))) {
      TransferSpec spec =
          Specs.blocks(TransferSpec.MIN_BLOCK, new Assurance(Checksum.CRC32C, false, durable));
      EntryPlacer placer =
          new EntryPlacer(tree, spec, new Replacements(spec, new CheckMeter()), new FirstNames(10));
      Entry directory =
          new Entry(
              1,
              Entry.ROOT,
              FileName.of("d"),
              EntryKind.DIRECTORY,
              0,
              0755,
              MODIFIED,
              BytePath.EMPTY);
      placer.open(List.of(DestinationTreeContract.CONTENTS));
      placer.place(List.of(directory), outcomes);
      placer.finish(directory, outcomes);
      placer.finishRoot(outcomes);
      placer.close();
      assertThat(tree.forced)
          .containsExactlyElementsOf(
              durable ? List.of("way", "out", "finish d", "out") : List.of());
    }
  }

  /** A destination that records syncs. */
  private static final class ForcedTree implements DestinationTree {
    final List<String> forced = new ArrayList<>();
    private final LocalDestination destination;

    ForcedTree(BytePath path) {
      destination = LocalDestination.trusted(path, true);
    }

    @Override
    public Base open(List<Root> roots) throws FdtException {
      Base base = destination.open(roots);
      return new Base(new Place(base.directory()), base.newName());
    }

    @Override
    public void force() throws FdtException {
      forced.add("way");
      destination.force();
    }

    @Override
    public Capabilities capabilities() {
      return destination.capabilities();
    }

    @Override
    public void delete(List<List<FileName>> roots, boolean pretend, DeletionRules rules) {}

    @Override
    public void close() {
      destination.close();
    }

    private final class Place extends ForwardingDirectory {
      private final DestinationDirectory directory;

      Place(DestinationDirectory directory) {
        super(directory);
        this.directory = directory;
      }

      private String name() {
        return directory.path().replaceFirst(".*/", "");
      }

      @Override
      protected DestinationDirectory wrap(DestinationDirectory child) {
        return new Place(child);
      }

      @Override
      public void force() throws FdtException {
        forced.add(name());
        super.force();
      }

      @Override
      public List<FdtException> finish(int mode, Timestamp modified, Durability durability)
          throws FdtException {
        if (durability.isForced()) {
          forced.add("finish " + name());
        }
        return super.finish(mode, modified, durability);
      }
    }
  }

  private static Entry file(String name, long size) {
    return new Entry(
        1, Entry.ROOT, FileName.of(name), EntryKind.FILE, size, 0644, MODIFIED, BytePath.EMPTY);
  }

  private static Entry entry(long id, String name, long firstName, long nameCount) {
    Entry plain =
        new Entry(
            id, Entry.ROOT, FileName.of(name), EntryKind.FILE, 3, 0644, MODIFIED, BytePath.EMPTY);
    return new Entry(
        plain.id(),
        plain.parentId(),
        plain.name(),
        plain.kind(),
        plain.size(),
        plain.mode(),
        plain.modified(),
        plain.linkTarget(),
        plain.stamp(),
        new FileMetadata(false, firstName, nameCount, null, List.of()));
  }
}
