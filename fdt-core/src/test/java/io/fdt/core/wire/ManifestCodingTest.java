package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Root;
import io.fdt.core.model.Timestamp;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ManifestCodingTest {
  private static final Timestamp MODIFIED = new Timestamp(-1, 999_999_999);
  private static final Entry FILE =
      new Entry(
          7,
          3,
          FileName.of(new byte[] {(byte) 0xFF, '\n', '-'}),
          EntryKind.FILE,
          Long.MAX_VALUE,
          07777,
          MODIFIED,
          BytePath.EMPTY);
  private static final Entry LINK =
      new Entry(2, 0, FileName.of("l"), EntryKind.SYMLINK, 0, 0777, MODIFIED, BytePath.of("../x"));
  private static final Entry DIRECTORY =
      new Entry(
          1,
          Entry.ROOT,
          FileName.of("x".repeat(255)),
          EntryKind.DIRECTORY,
          0,
          0,
          MODIFIED,
          BytePath.EMPTY);

  @Test
  void entriesComeOutAsTheyWentIn() throws Exception {
    Entry remapped =
        new Entry(1, 0, FileName.of("d"), EntryKind.DIRECTORY, 0, 0, null, BytePath.EMPTY);
    for (Entry entry : List.of(FILE, LINK, DIRECTORY, remapped)) {
      byte[] wire = ManifestCoding.encode(entry).toByteArray();
      assertThat(ManifestCoding.decode(io.fdt.core.wire.control.Entry.parseFrom(wire), entry.id()))
          .isEqualTo(entry);
    }
  }

  @Test
  void rootsComeOutAsTheyWentIn() throws FdtException {
    for (Root root :
        List.of(
            new Root(FileName.of("f"), EntryKind.FILE, 0644, MODIFIED),
            new Root(FileName.of("l"), EntryKind.SYMLINK, 0777, MODIFIED),
            new Root(FileName.of("d"), EntryKind.DIRECTORY, 01777, new Timestamp(1L << 40, 0)),
            new Root(FileName.of("d"), EntryKind.DIRECTORY, 0, null),
            new Root(null, EntryKind.FILE, 0644, MODIFIED),
            new Root(null, EntryKind.DIRECTORY, 0755, MODIFIED),
            new Root(null, EntryKind.DIRECTORY, 0755, MODIFIED, -2))) {
      assertThat(ManifestCoding.decode(ManifestCoding.encode(root))).isEqualTo(root);
    }
  }

  @Test
  void namesThatAreNoneAreRefused() {
    assertThat(fileWith(w -> w.clearName())).isEqualTo("entry 7 has a empty name: ''");
    assertThat(fileWith(w -> w.setName(utf8("..")))).contains("name that leads elsewhere: '..'");
    assertThat(fileWith(w -> w.setName(utf8(".")))).contains("name that leads elsewhere: '.'");
    assertThat(fileWith(w -> w.setName(utf8("a/b")))).contains("name with a slash: 'a/b'");
    assertThat(fileWith(w -> w.setName(utf8("a\0b")))).contains("NUL");
    assertThat(fileWith(w -> w.setName(utf8("\033[2J/")))).contains("'\\u001b[2J/'");
    String tooLong = fileWith(w -> w.setName(utf8("x".repeat(1_000_000))));
    assertThat(tooLong).contains("name of 1000000 bytes");
    assertThat(tooLong.length()).isLessThan(400);
  }

  @Test
  void parentsComeBeforeTheirChildren() {
    assertThat(fileWith(w -> w.setParentId(7))).isEqualTo("entry 7 before its parent 7");
    assertThat(fileWith(w -> w.setParentId(8))).isEqualTo("entry 7 before its parent 8");
    assertThat(fileWith(w -> w.setParentId(-1)))
        .isEqualTo("entry 7 before its parent 18446744073709551615");
  }

  @Test
  void idsCountUpFromOne() {
    io.fdt.core.wire.control.Entry wire = ManifestCoding.encode(DIRECTORY);
    assertThat(violationOf(() -> ManifestCoding.decode(wire, 0))).isEqualTo("id of an entry: 0");
    assertThat(violationOf(() -> ManifestCoding.decode(wire, -1)))
        .isEqualTo("id of an entry: 18446744073709551615");
  }

  @Test
  void kindsThatAreNoneAreRefused() {
    assertThat(fileWith(w -> w.clearKind()))
        .isEqualTo("entry 7 is neither file, directory nor link: kind=0");
    assertThat(fileWith(w -> w.setKindValue(4))).contains("kind=4");
    assertThat(fileWith(w -> w.setKindValue(-1))).contains("kind=-1");
  }

  @Test
  void onlyFilesHaveSizes() {
    assertThat(fileWith(w -> w.setSize(-1)))
        .isEqualTo("entry 7, a FILE, of 18446744073709551615 bytes");
    assertThat(fileWith(w -> w.setKind(io.fdt.core.wire.control.EntryKind.DIRECTORY)))
        .contains("a DIRECTORY, of 9223372036854775807 bytes");
    assertThat(linkWith(w -> w.setSize(1))).contains("a SYMLINK, of 1 bytes");
  }

  @Test
  void modesAndTimesStayInRange() {
    assertThat(fileWith(w -> w.setMode(0100644))).isEqualTo("entry 7 with mode=100644");
    assertThat(fileWith(w -> w.setMode(-1))).isEqualTo("entry 7 with mode=37777777777");
    assertThat(fileWith(w -> w.setModified(w.getModified().toBuilder().setNanos(1_000_000_000))))
        .isEqualTo("entry 7 with nanoseconds=1000000000");
    assertThat(fileWith(w -> w.setModified(w.getModified().toBuilder().setNanos(-1))))
        .isEqualTo("entry 7 with nanoseconds=4294967295");
  }

  @Test
  void onlyDirectoriesMayComeWithoutATime() {
    assertThat(fileWith(w -> w.clearModified()))
        .isEqualTo("entry 7, a FILE, without a time of modification");
    assertThat(linkWith(w -> w.clearModified())).contains("a SYMLINK, without a time");
  }

  @Test
  void linksAndOnlyLinksHaveTargets() throws FdtException {
    assertThat(fileWith(w -> w.setLinkTarget(utf8("x")))).contains("with the target of a link");
    assertThat(linkWith(w -> w.clearLinkTarget())).contains("target of 0 bytes (1 to 4095)");
    assertThat(linkWith(w -> w.setLinkTarget(utf8("x".repeat(4096))))).contains("4096 bytes");
    assertThat(linkWith(w -> w.setLinkTarget(utf8("a\0")))).contains("NUL");
    Entry longest =
        ManifestCoding.decode(
            ManifestCoding.encode(LINK).toBuilder().setLinkTarget(utf8("x".repeat(4095))).build(),
            2);
    assertThat(longest.linkTarget().length()).isEqualTo(4095);
  }

  @Test
  void rootsThatAreNoneAreRefused() {
    io.fdt.core.wire.control.Root wire =
        ManifestCoding.encode(new Root(FileName.of("f"), EntryKind.FILE, 0644, MODIFIED));
    io.fdt.core.wire.control.Root link =
        ManifestCoding.encode(new Root(FileName.of("l"), EntryKind.SYMLINK, 0777, MODIFIED));
    assertThat(rootViolation(link.toBuilder().clearName().build()))
        .isEqualTo("root that is the contents of a SYMLINK");
    assertThat(rootViolation(wire.toBuilder().setName(utf8("../x")).build())).contains("slash");
    assertThat(rootViolation(wire.toBuilder().setKindValue(9).build())).contains("kind=9");
    assertThat(rootViolation(wire.toBuilder().setMode(1 << 12).build())).contains("mode=10000");
    assertThat(rootViolation(wire.toBuilder().clearModified().build())).contains("without a time");
  }

  /** Changed bytes that still are protobuf give an entry that keeps all rules, or a violation. */
  @Test
  void randomDamageNeverCausesAnythingButAViolation() {
    long seed = 20261121;
    Random random = new Random(seed);
    int decoded = 0;
    int refused = 0;
    for (int round = 0; round < 50_000; round++) {
      Entry entry = List.of(FILE, LINK, DIRECTORY).get(round % 3);
      byte[] wire = ManifestCoding.encode(entry).toByteArray();
      wire[random.nextInt(wire.length)] = (byte) random.nextInt(256);
      wire[random.nextInt(Math.min(12, wire.length))] ^= (byte) (1 << random.nextInt(8));
      try {
        ManifestCoding.decode(io.fdt.core.wire.control.Entry.parseFrom(wire), entry.id());
        decoded++;
      } catch (FdtException e) {
        assertThat(e.code()).as("seed %d round %d", seed, round).isEqualTo(ErrorCode.PROTOCOL);
        refused++;
      } catch (InvalidProtocolBufferException e) {
        assertThat(e).hasMessageNotContaining("seed");
      }
    }
    assertThat(decoded).isGreaterThan(1000);
    assertThat(refused).isGreaterThan(1000);
  }

  private static String fileWith(UnaryOperator<io.fdt.core.wire.control.Entry.Builder> change) {
    return entryViolation(FILE, change);
  }

  private static String linkWith(UnaryOperator<io.fdt.core.wire.control.Entry.Builder> change) {
    return entryViolation(LINK, change);
  }

  private static String entryViolation(
      Entry entry, UnaryOperator<io.fdt.core.wire.control.Entry.Builder> change) {
    io.fdt.core.wire.control.Entry wire =
        change.apply(ManifestCoding.encode(entry).toBuilder()).build();
    return violationOf(() -> ManifestCoding.decode(wire, entry.id()));
  }

  private static String rootViolation(io.fdt.core.wire.control.Root wire) {
    return violationOf(() -> ManifestCoding.decode(wire));
  }

  private static String violationOf(ThrowingCallable decoding) {
    FdtException e = catchThrowableOfType(FdtException.class, decoding);
    assertThat(e).isNotNull();
    assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
    return e.getMessage();
  }

  private static ByteString utf8(String text) {
    return ByteString.copyFromUtf8(text);
  }
}
