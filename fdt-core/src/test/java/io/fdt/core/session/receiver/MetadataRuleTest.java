package io.fdt.core.session.receiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.ExtendedAttribute;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Preservation.Aspect;
import io.fdt.core.model.Timestamp;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A sender says nothing of a file that the session was not opened for. */
class MetadataRuleTest {
  /** What an entry has, and what the session has to keep for that; null: nothing is enough. */
  private record Row(FileMetadata metadata, EntryKind kind, Aspect needed) {}

  static List<Row> rows() {
    return List.of(
        new Row(FileMetadata.NONE.withSparse(true), EntryKind.FILE, Aspect.SPARSE),
        new Row(FileMetadata.NONE.withNames(1, 0), EntryKind.FILE, Aspect.HARD_LINKS),
        new Row(FileMetadata.NONE.withNames(0, 2), EntryKind.FILE, Aspect.HARD_LINKS),
        new Row(
            FileMetadata.NONE.withMetadata(new Owner(0, 0), List.of()),
            EntryKind.SYMLINK,
            Aspect.OWNER),
        attribute("user.x", EntryKind.FILE, Aspect.XATTRS),
        attribute("user.x", EntryKind.SYMLINK, null),
        attribute("security.capability", EntryKind.FILE, Aspect.ALL_XATTRS),
        attribute("trusted.x", EntryKind.DIRECTORY, Aspect.ALL_XATTRS),
        attribute("userx", EntryKind.FILE, Aspect.ALL_XATTRS),
        attribute("system.posix_acl_access", EntryKind.FILE, Aspect.ACLS),
        attribute("system.posix_acl_default", EntryKind.DIRECTORY, Aspect.ACLS),
        attribute("system.nfs4_acl", EntryKind.FILE, null));
  }

  private static Row attribute(String name, EntryKind kind, Aspect needed) {
    byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
    List<ExtendedAttribute> one = List.of(new ExtendedAttribute(bytes, new byte[] {1}));
    return new Row(FileMetadata.NONE.withMetadata(null, one), kind, needed);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void onlyWhatWasAskedForIsTaken(Row row) throws FdtException {
    Set<Aspect> others = EnumSet.allOf(Aspect.class);
    if (row.needed() != null) {
      others.remove(row.needed());
      MetadataRule.check(List.of(entry(row)), Preservation.of(Set.of(row.needed())));
    }
    if (row.needed() == Aspect.XATTRS) {
      others.remove(Aspect.ALL_XATTRS); // which brings it along
    }
    assertThatThrownBy(() -> MetadataRule.check(List.of(entry(row)), Preservation.of(others)))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  private static Entry entry(Row row) {
    boolean link = row.kind() == EntryKind.SYMLINK;
    Entry entry =
        new Entry(
            7,
            0,
            FileName.of("f"),
            row.kind(),
            0,
            0644,
            new Timestamp(1, 2),
            link ? BytePath.of("target") : BytePath.EMPTY,
            FileStamp.NONE,
            row.metadata());
    assertThat(entry.metadata()).isEqualTo(row.metadata());
    return entry;
  }
}
