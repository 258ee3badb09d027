package io.fdt.core.wire;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.ExtendedAttribute;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.Owner;
import io.fdt.core.wire.control.Entry;
import java.util.ArrayList;
import java.util.List;

/** Encodes {@link FileMetadata} as parts of an entry. Stateless; any thread. */
final class FileMetadataCoding {
  private FileMetadataCoding() {}

  static void encode(FileMetadata metadata, Entry.Builder wire) {
    wire.setSparse(metadata.sparse())
        .setFirstName(metadata.firstName())
        .setNameCount(metadata.nameCount())
        .setSizeUnknown(metadata.sizeUnknown());
    if (metadata.owner() != null) {
      wire.setOwner(
          io.fdt.core.wire.control.Owner.newBuilder()
              .setUser(metadata.owner().user())
              .setGroup(metadata.owner().group()));
    }
    for (ExtendedAttribute attribute : metadata.attributes()) {
      wire.addAttributes(
          io.fdt.core.wire.control.ExtendedAttribute.newBuilder()
              .setName(ByteString.copyFrom(attribute.name()))
              .setValue(ByteString.copyFrom(attribute.value())));
    }
  }

  /**
   * @param id of the entry
   * @throws FdtException PROTOCOL for invalid combinations
   */
  static FileMetadata decode(Entry wire, EntryKind kind, long id) throws FdtException {
    boolean isOfFile =
        wire.getSparse()
            || wire.getFirstName() != 0
            || wire.getNameCount() != 0
            || wire.getSizeUnknown();
    if (isOfFile && kind != EntryKind.FILE) {
      throw violation(id, "a " + kind + " with attributes that only files have", null);
    }
    if (wire.getFirstName() < 0 || wire.getFirstName() >= id) {
      throw violation(id, "precedes its first name", null);
    }
    if (wire.getSizeUnknown() && wire.getSize() != 0) {
      throw violation(id, "an unknown size of " + wire.getSize() + " bytes", null);
    }
    if (wire.getAttributesCount() > FileMetadata.MAX_ATTRIBUTES) {
      throw violation(id, wire.getAttributesCount() + " attributes", null);
    }
    if (!isOfFile && !wire.hasOwner() && wire.getAttributesCount() == 0) {
      return FileMetadata.NONE;
    }
    try {
      List<ExtendedAttribute> attributes = new ArrayList<>(wire.getAttributesCount());
      for (io.fdt.core.wire.control.ExtendedAttribute one : wire.getAttributesList()) {
        attributes.add(
            new ExtendedAttribute(one.getName().toByteArray(), one.getValue().toByteArray()));
      }
      Owner owner =
          wire.hasOwner() ? new Owner(wire.getOwner().getUser(), wire.getOwner().getGroup()) : null;
      return new FileMetadata(
          wire.getSparse(),
          wire.getFirstName(),
          wire.getNameCount(),
          owner,
          attributes,
          wire.getSizeUnknown());
    } catch (IllegalArgumentException e) {
      throw violation(id, e.getMessage(), e);
    }
  }

  private static FdtException violation(long id, String flaw, Exception cause) {
    return new FdtException(ErrorCode.PROTOCOL, "entry " + id + ": " + flaw, cause);
  }
}
