package io.fdt.core.storage.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.NamePattern;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Selection;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.ListingVisitor;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.storage.RecordedWalk;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.SourceTreeContract;
import io.fdt.core.storage.Storage;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CatalogueSourceTest extends SourceTreeContract {
  private final MemoryCatalogue catalogue =
      new MemoryCatalogue()
          .directory("set")
          .directory("set/a")
          .directory("set/a/b")
          .directory("set/none")
          .file("set/one", SIZE)
          .file("set/a/two", SIZE)
          .file("set/a/b/three", SIZE);

  @Override
  public SourceTree openTree() {
    return source(spec("/set"));
  }

  private SourceTree source(TransferSpec.Builder spec) {
    return new CatalogueSource(catalogue, new DiskId("memory"), spec.build());
  }

  private static TransferSpec.Builder spec(String... paths) {
    TransferSpec.Builder spec = TransferSpec.builder().recursive(true);
    for (String path : paths) {
      spec.source(path);
    }
    return spec;
  }

  @Test
  void aSlashAtTheEndMeansTheContents() throws Exception {
    try (SourceTree tree = source(spec("/set/a/"))) {
      assertThat(RecordedWalk.of(tree).entries.keySet())
          .containsExactlyInAnyOrder("two", "b", "b/three");
      assertThat(tree.roots()).singleElement().matches(root -> root.isContents());
      assertThat(tree.arrivals()).containsExactly(BytePath.EMPTY);
    }
    assertThat(catalogue.isClosed()).isTrue();
  }

  @Test
  void patternsAndDepthChoose() throws Exception {
    try (SourceTree tree = source(spec("/set/").selection(excluding("t*")))) {
      assertThat(RecordedWalk.of(tree).entries.keySet())
          .containsExactlyInAnyOrder("one", "a", "a/b", "none");
    }
  }

  private static Selection excluding(String pattern) throws Exception {
    List<Selection.Rule> rules =
        List.of(new Selection.Rule(new NamePattern(BytePath.of(pattern)), false));
    return new Selection(rules, 0, Long.MAX_VALUE, null, null, Integer.MAX_VALUE, false);
  }

  @Test
  void whatIsNotThereOrCannotBeListedFailsByName() throws Exception {
    catalogue.directory("unreadable");
    try (SourceTree tree = source(spec("/set/one", "/missing", "/unreadable"))) {
      RecordedWalk walk = RecordedWalk.of(tree);
      assertThat(walk.entries.keySet()).containsExactlyInAnyOrder("one", "unreadable");
      assertThat(walk.failed.get("/missing").code()).isEqualTo(ErrorCode.NOT_FOUND);
      assertThat(walk.failed.get("/unreadable").code()).isEqualTo(ErrorCode.PERMISSION);
    }
  }

  @Test
  void twoFilesOfOneNameFailTheLaterOne() throws Exception {
    catalogue.directory("other").directory("other/a").file("other/a/two", 1);
    try (SourceTree tree = source(spec("/set/", "/other/"))) {
      RecordedWalk walk = RecordedWalk.of(tree);
      assertThat(walk.failed.keySet()).containsExactly("/other/a/two");
      assertThat(walk.entries.get("a/two").size()).isEqualTo(SIZE);
    }
  }

  @Test
  void aNewNameMakesItsDirectories() throws Exception {
    Operand renamed = new Operand(BytePath.of("/set/one"), Optional.of(BytePath.of("x/y")));
    try (SourceTree tree = source(TransferSpec.builder().source(renamed))) {
      assertThat(RecordedWalk.of(tree).entries.keySet()).containsExactlyInAnyOrder("x", "x/y");
    }
  }

  @Test
  void theStampOfALargeFileIsThatOfItsItem() throws Exception {
    FileStamp stamp = new FileStamp(7, MemoryCatalogue.MODIFIED, true);
    catalogue
        .file("large", DestinationDirectory.JOURNALED_BYTES, stamp)
        .file("small", DestinationDirectory.JOURNALED_BYTES - 1, stamp);
    try (SourceTree tree = source(spec("/large", "/small"))) {
      RecordedWalk walk = RecordedWalk.of(tree);
      assertThat(walk.entries.get("large").stamp()).isEqualTo(stamp);
      assertThat(walk.entries.get("small").stamp()).isEqualTo(FileStamp.NONE);
    }
  }

  @Test
  void deletionAsksForPaths() throws Exception {
    try (SourceTree tree = source(spec("/set"))) {
      RecordedWalk unused = RecordedWalk.of(tree);
      BitSet lacking =
          tree.lacking(List.of(names("set", "a", "two"), names("set", "gone"), names("elsewhere")));
      assertThat(lacking.stream()).containsExactly(1);
      assertThat(tree.emptyArrivals()).isEmpty();
    }
    try (SourceTree tree = source(spec("/set/none"))) {
      RecordedWalk unused = RecordedWalk.of(tree);
      assertThat(tree.emptyArrivals()).containsExactly(BytePath.of("none"));
    }
  }

  private static List<FileName> names(String... names) {
    return List.of(names).stream().map(FileName::of).toList();
  }

  @Test
  void itIsListedAndNeverWritten() throws Exception {
    Storage storage = new CatalogueStorage("memory", () -> catalogue);
    List<String> lines = new ArrayList<>();
    storage.list(
        BytePath.of("/set"),
        Storage.Depth.TREE,
        (ListingVisitor) item -> lines.add(item.name() + " " + size(item.attributes())));

    assertThat(lines)
        .containsExactly(
            "a 0", "none 0", "one 100003", "a/b 0", "a/two 100003", "a/b/three 100003");
    try (DestinationTree tree =
        storage.destination(
            spec("/set").destination(BytePath.of("/x")).build(), OpenFileLimit.NONE)) {
      assertThat(catchThrowableOfType(FdtException.class, () -> tree.open(List.of())).code())
          .isEqualTo(ErrorCode.READ_ONLY);
    }
  }

  private static long size(Attributes attributes) {
    return attributes.size();
  }
}
