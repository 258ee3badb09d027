package io.fdt.core.wire;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.PathText;
import io.fdt.core.model.Root;
import io.fdt.core.model.Timestamp;
import java.util.Arrays;

/**
 * Encodes entries and roots of a manifest as parts of control messages.
 *
 * <p>Decoding any input gives a value that keeps every rule of its class, or an {@link
 * FdtException} with {@link ErrorCode#PROTOCOL}. Only a directory may lack a modification time,
 * which is null then: its mode and time are left alone.
 *
 * <p>Stateless; any thread.
 */
public final class ManifestCoding {
  /** The longest target of a symbolic link: PATH_MAX of Linux less its NUL. */
  public static final int MAX_LINK_TARGET = 4095;

  private static final int MODE_BITS = 07777;
  private static final int MAX_NANOS = 999_999_999;

  /** The id of values outside any entry. */
  private static final long NO_ENTRY = -1;

  private ManifestCoding() {}

  /** The entry without its id, which follows from its position. */
  public static io.fdt.core.wire.control.Entry encode(Entry entry) {
    io.fdt.core.wire.control.Entry.Builder wire =
        io.fdt.core.wire.control.Entry.newBuilder()
            .setParentId(entry.parentId())
            .setName(ByteString.copyFrom(entry.name().bytes()))
            .setKind(encode(entry.kind()))
            .setSize(entry.size())
            .setMode(entry.mode())
            .setLinkTarget(ByteString.copyFrom(entry.linkTarget().bytes()))
            .setIdentity(entry.identity());
    if (entry.modified() != null) {
      wire.setModified(encode(entry.modified()));
    }
    if (entry.stamp().changed() != null) {
      wire.setChanged(encode(entry.stamp().changed())).setChangeIsOld(entry.stamp().isOld());
    }
    FileMetadataCoding.encode(entry.metadata(), wire);
    return wire.build();
  }

  /**
   * Decodes an entry.
   *
   * @param id the id of the entry before it, plus one
   * @throws FdtException PROTOCOL for an invalid entry
   */
  public static Entry decode(io.fdt.core.wire.control.Entry wire, long id) throws FdtException {
    long parentId = checkedParent(wire.getParentId(), id);
    FileName name = checkedName(wire.getName().toByteArray(), id);
    EntryKind kind = decode(wire.getKind(), wire.getKindValue(), id);
    long size = checkedSize(wire.getSize(), kind, id);
    return new Entry(
        id,
        parentId,
        name,
        kind,
        size,
        checkedMode(wire.getMode(), id),
        decodeModified(wire.hasModified(), wire.getModified(), kind, id),
        decodeLinkTarget(wire.getLinkTarget(), kind, id),
        decodeStamp(wire, id),
        FileMetadataCoding.decode(wire, kind, id));
  }

  private static FileStamp decodeStamp(io.fdt.core.wire.control.Entry wire, long id)
      throws FdtException {
    if (!wire.hasChanged()) {
      return FileStamp.of(wire.getIdentity());
    }
    Timestamp changed =
        checkedTime(wire.getChanged().getSeconds(), wire.getChanged().getNanos(), id);
    return new FileStamp(wire.getIdentity(), changed, wire.getChangeIsOld());
  }

  public static io.fdt.core.wire.control.Root encode(Root root) {
    io.fdt.core.wire.control.Root.Builder wire =
        io.fdt.core.wire.control.Root.newBuilder()
            .setKind(encode(root.kind()))
            .setMode(root.mode())
            .setPlace(root.place());
    if (root.name() != null) {
      wire.setName(ByteString.copyFrom(root.name().bytes()));
    }
    if (root.modified() != null) {
      wire.setModified(encode(root.modified()));
    }
    return wire.build();
  }

  /**
   * A root without a name is the contents of a directory, or a file that takes the name of the
   * destination.
   *
   * @throws FdtException PROTOCOL for an invalid root
   */
  public static Root decode(io.fdt.core.wire.control.Root wire) throws FdtException {
    EntryKind kind = decode(wire.getKind(), wire.getKindValue(), Entry.ROOT);
    FileName name =
        wire.getName().isEmpty() ? null : checkedName(wire.getName().toByteArray(), Entry.ROOT);
    if (name == null && kind == EntryKind.SYMLINK) {
      throw violation("root that is the contents of a " + kind);
    }
    return new Root(
        name,
        kind,
        checkedMode(wire.getMode(), Entry.ROOT),
        decodeModified(wire.hasModified(), wire.getModified(), kind, Entry.ROOT),
        wire.getPlace());
  }

  public static io.fdt.core.wire.control.EntryKind encode(EntryKind kind) {
    return switch (kind) {
      case FILE -> io.fdt.core.wire.control.EntryKind.FILE;
      case DIRECTORY -> io.fdt.core.wire.control.EntryKind.DIRECTORY;
      case SYMLINK -> io.fdt.core.wire.control.EntryKind.SYMLINK;
    };
  }

  public static io.fdt.core.wire.control.Timestamp encode(Timestamp timestamp) {
    return io.fdt.core.wire.control.Timestamp.newBuilder()
        .setSeconds(timestamp.seconds())
        .setNanos(timestamp.nanos())
        .build();
  }

  /**
   * Decodes a point in time.
   *
   * @throws FdtException PROTOCOL when the nanoseconds are out of range
   */
  public static Timestamp decode(io.fdt.core.wire.control.Timestamp wire) throws FdtException {
    return checkedTime(wire.getSeconds(), wire.getNanos(), NO_ENTRY);
  }

  static Timestamp checkedTime(long seconds, int nanos, long id) throws FdtException {
    if (nanos < 0 || nanos > MAX_NANOS) {
      throw violation(what(id) + " with nanoseconds=" + Integer.toUnsignedString(nanos));
    }
    return new Timestamp(seconds, nanos);
  }

  private static Timestamp decodeModified(
      boolean present, io.fdt.core.wire.control.Timestamp wire, EntryKind kind, long id)
      throws FdtException {
    if (present) {
      return checkedTime(wire.getSeconds(), wire.getNanos(), id);
    }
    if (kind != EntryKind.DIRECTORY) {
      throw violation(what(id) + ", a " + kind + ", without a time of modification");
    }
    return null;
  }

  /**
   * The id of a parent, checked together with the id of the entry.
   *
   * @throws FdtException PROTOCOL when no entry of this id can have that parent
   */
  static long checkedParent(long parentId, long id) throws FdtException {
    if (id <= Entry.ROOT) {
      throw violation("id of an entry: " + Long.toUnsignedString(id));
    }
    if (parentId < Entry.ROOT || parentId >= id) {
      throw violation("entry " + id + " before its parent " + Long.toUnsignedString(parentId));
    }
    return parentId;
  }

  static long checkedSize(long size, EntryKind kind, long id) throws FdtException {
    if (size < 0 || (size > 0 && kind != EntryKind.FILE)) {
      throw violation(
          "entry " + id + ", a " + kind + ", of " + Long.toUnsignedString(size) + " bytes");
    }
    return size;
  }

  static FileName checkedName(byte[] bytes, long id) throws FdtException {
    String flaw = FileName.flawOf(bytes);
    if (flaw != null) {
      throw violation(what(id) + " has a " + flaw + ": " + quote(bytes));
    }
    return FileName.of(bytes);
  }

  private static EntryKind decode(io.fdt.core.wire.control.EntryKind kind, int wireCode, long id)
      throws FdtException {
    return switch (kind) {
      case FILE -> EntryKind.FILE;
      case DIRECTORY -> EntryKind.DIRECTORY;
      case SYMLINK -> EntryKind.SYMLINK;
      case OTHER, UNRECOGNIZED ->
          throw violation(what(id) + " is neither file, directory nor link: kind=" + wireCode);
    };
  }

  static int checkedMode(int mode, long id) throws FdtException {
    if ((mode & ~MODE_BITS) != 0) {
      throw violation(what(id) + " with mode=" + Integer.toOctalString(mode));
    }
    return mode;
  }

  private static BytePath decodeLinkTarget(ByteString wire, EntryKind kind, long id)
      throws FdtException {
    if (kind != EntryKind.SYMLINK) {
      if (!wire.isEmpty()) {
        throw violation(what(id) + ", a " + kind + ", with the target of a link");
      }
      return BytePath.EMPTY;
    }
    if (wire.isEmpty() || wire.size() > MAX_LINK_TARGET) {
      throw violation(
          what(id)
              + ", a link, with a target of "
              + wire.size()
              + " bytes (1 to "
              + MAX_LINK_TARGET
              + ")");
    }
    byte[] bytes = wire.toByteArray();
    for (byte b : bytes) {
      if (b == 0) {
        throw violation(what(id) + ", a link, with a NUL byte in its target");
      }
    }
    return BytePath.of(bytes);
  }

  /**
   * Names the entry in a message; built only on failure.
   *
   * @param id of an entry, {@link Entry#ROOT} for a root, or {@link #NO_ENTRY}
   */
  private static String what(long id) {
    if (id == NO_ENTRY) {
      return "timestamp";
    }
    return id == Entry.ROOT ? "root" : "entry " + id;
  }

  /** The start of a name that a peer sent, escaped. */
  private static String quote(byte[] bytes) {
    int length = Math.min(bytes.length, FileName.MAX_LENGTH);
    return "'" + PathText.escape(Arrays.copyOf(bytes, length)) + "'";
  }

  private static FdtException violation(String message) {
    return new FdtException(ErrorCode.PROTOCOL, message);
  }

  /** The roots of a dataset as one message. */
  public static io.fdt.core.wire.control.Roots encodeRoots(java.util.List<Root> roots) {
    io.fdt.core.wire.control.Roots.Builder message = io.fdt.core.wire.control.Roots.newBuilder();
    roots.forEach(root -> message.addRoots(encode(root)));
    return message.build();
  }

  public static java.util.List<Root> decodeRoots(io.fdt.core.wire.control.Roots message)
      throws FdtException {
    java.util.List<Root> roots = new java.util.ArrayList<>();
    for (io.fdt.core.wire.control.Root root : message.getRootsList()) {
      roots.add(decode(root));
    }
    return roots;
  }
}
