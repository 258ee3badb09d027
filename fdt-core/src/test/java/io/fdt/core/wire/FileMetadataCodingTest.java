package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
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
import io.fdt.core.model.Timestamp;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class FileMetadataCodingTest {
  private static final List<ExtendedAttribute> ATTRIBUTES =
      List.of(attribute("user.a", new byte[0]), attribute("user.b", new byte[] {0, -1, 2}));

  @Test
  void whatIsEncodedIsDecoded() throws FdtException {
    for (FileMetadata metadata :
        List.of(
            FileMetadata.NONE,
            new FileMetadata(true, 0, Long.MAX_VALUE, new Owner(-2, 0), ATTRIBUTES),
            FileMetadata.OF_STREAM,
            new FileMetadata(false, 6, 0, null, List.of()))) {
      Entry entry = file(metadata);
      assertThat(ManifestCoding.decode(ManifestCoding.encode(entry), 7)).isEqualTo(entry);
    }
  }

  @Test
  void whatOnlyFilesHaveIsRefusedElsewhere() {
    assertThat(violation(EntryKind.DIRECTORY, w -> w.setSparse(true))).contains("a DIRECTORY with");
    assertThat(violation(EntryKind.DIRECTORY, w -> w.setFirstName(1))).contains("a DIRECTORY with");
    assertThat(violation(EntryKind.DIRECTORY, w -> w.setNameCount(2))).contains("a DIRECTORY with");
  }

  @Test
  void anUnknownSizeIsNoSizeAndHasNoHolesAndNoOtherNames() {
    assertThat(violation(EntryKind.DIRECTORY, w -> w.setSizeUnknown(true)))
        .contains("a DIRECTORY with");
    assertThat(ofFile(w -> w.setSizeUnknown(true).setSize(5))).contains("unknown size of 5 bytes");
    assertThat(ofFile(w -> w.setSizeUnknown(true).setSize(0).setSparse(true))).contains("holes");
    assertThat(ofFile(w -> w.setSizeUnknown(true).setSize(0).setNameCount(2))).contains("holes");
  }

  @Test
  void aFirstNameComesFirst() {
    assertThat(ofFile(w -> w.setFirstName(7))).contains("precedes its first name");
    assertThat(ofFile(w -> w.setFirstName(-1))).contains("precedes its first name");
    assertThat(ofFile(w -> w.setFirstName(1).setNameCount(2))).contains("2 names");
    assertThat(ofFile(w -> w.setNameCount(-1))).contains("-1 names");
  }

  @Test
  void theNumberOfNobodyOwnsNothing() {
    assertThat(ofFile(w -> w.setOwner(owner(-1, 0)))).contains("4294967295");
    assertThat(ofFile(w -> w.setOwner(owner(0, -1)))).contains("4294967295");
  }

  @Test
  void attributesAreBounded() {
    assertThat(ofFile(w -> w.addAttributes(wire("", 0)))).contains("with 0 bytes");
    assertThat(ofFile(w -> w.addAttributes(wire("x".repeat(256), 0)))).contains("with 256 bytes");
    assertThat(ofFile(w -> w.addAttributes(wire("a\0b", 0)))).contains("NUL");
    assertThat(ofFile(w -> w.addAttributes(wire("user.x", 65_536)))).contains("65542 bytes");
    assertThat(
            ofFile(
                w -> {
                  for (int i = 0; i < 257; i++) {
                    w.addAttributes(wire("user." + i, 0));
                  }
                  return w;
                }))
        .contains("257 attributes");
  }

  @Test
  void anEntryWeighsWhatItKeepsInMemory() {
    assertThat(FileMetadata.NONE.weight()).isEqualTo(1);
    assertThat(
            FileMetadata.NONE
                .withMetadata(null, List.of(attribute("user.x", new byte[65_530])))
                .weight())
        .isEqualTo(129);
  }

  private static Entry file(FileMetadata metadata) {
    return new Entry(
        7,
        0,
        FileName.of("f"),
        EntryKind.FILE,
        metadata.sizeUnknown() ? 0 : 5,
        0644,
        new Timestamp(1, 2),
        BytePath.EMPTY,
        FileStamp.NONE,
        metadata);
  }

  private static String ofFile(UnaryOperator<io.fdt.core.wire.control.Entry.Builder> change) {
    return violation(EntryKind.FILE, change);
  }

  private static String violation(
      EntryKind kind, UnaryOperator<io.fdt.core.wire.control.Entry.Builder> change) {
    io.fdt.core.wire.control.Entry.Builder wire =
        ManifestCoding.encode(file(FileMetadata.NONE)).toBuilder();
    if (kind == EntryKind.DIRECTORY) {
      wire.setKind(io.fdt.core.wire.control.EntryKind.DIRECTORY).setSize(0);
    }
    String[] message = new String[1];
    assertThatThrownBy(() -> ManifestCoding.decode(change.apply(wire).build(), 7))
        .isInstanceOfSatisfying(
            FdtException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
              message[0] = e.getMessage();
            });
    return message[0];
  }

  private static ExtendedAttribute attribute(String name, byte[] value) {
    return new ExtendedAttribute(name.getBytes(StandardCharsets.US_ASCII), value);
  }

  private static io.fdt.core.wire.control.ExtendedAttribute wire(String name, int length) {
    return io.fdt.core.wire.control.ExtendedAttribute.newBuilder()
        .setName(ByteString.copyFromUtf8(name))
        .setValue(ByteString.copyFrom(new byte[length]))
        .build();
  }

  private static io.fdt.core.wire.control.Owner owner(int user, int group) {
    return io.fdt.core.wire.control.Owner.newBuilder().setUser(user).setGroup(group).build();
  }
}
