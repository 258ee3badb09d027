package io.fdt.core.wire;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.BytePath;
import io.fdt.core.manifest.Entry;
import io.fdt.core.manifest.EntryKind;
import io.fdt.core.manifest.FileName;
import io.fdt.core.manifest.PathText;
import io.fdt.core.manifest.Root;
import io.fdt.core.manifest.Timestamp;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * Entries and roots of a manifest as parts of control messages, and back.
 *
 * <p>Whatever a peer sends, the way back gives a value that keeps every rule of its class, or an
 * {@link FdtException} with {@link ErrorCode#PROTOCOL}. A time of modification may be missing, and
 * is null then, for a directory only: its mode and time are left alone.
 *
 * <p>Stateless; any thread.
 */
public final class ManifestCoding {
  /** The longest target of a symbolic link: PATH_MAX of Linux less its NUL. */
  public static final int MAX_LINK_TARGET = 4095;

  private static final int MODE_BITS = 07777;
  private static final int MAX_NANOS = 999_999_999;

  private ManifestCoding() {}

  /** The entry without its id: that follows from its place among the entries. */
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
    TraitsCoding.encode(entry.traits(), wire);
    return wire.build();
  }

  /**
   * The entry with this id.
   *
   * @param id the id of the entry before it, plus one
   * @throws FdtException PROTOCOL when it cannot be an entry
   */
  public static Entry decode(io.fdt.core.wire.control.Entry wire, long id) throws FdtException {
    Supplier<String> what = () -> "entry " + id;
    if (id <= Entry.ROOT) {
      throw violation("id of an entry: " + Long.toUnsignedString(id));
    }
    if (wire.getParentId() < Entry.ROOT || wire.getParentId() >= id) {
      throw violation(
          what.get() + " before its parent " + Long.toUnsignedString(wire.getParentId()));
    }
    FileName name = decodeName(wire.getName(), what);
    EntryKind kind = decode(wire.getKind(), wire.getKindValue(), what);
    long size = wire.getSize();
    if (size < 0 || (size > 0 && kind != EntryKind.FILE)) {
      throw violation(
          what.get() + ", a " + kind + ", of " + Long.toUnsignedString(size) + " bytes");
    }
    return new Entry(
        id,
        wire.getParentId(),
        name,
        kind,
        size,
        decodeMode(wire.getMode(), what),
        decodeModified(wire.hasModified(), wire.getModified(), kind, what),
        decodeLinkTarget(wire.getLinkTarget(), kind, what),
        wire.getIdentity(),
        TraitsCoding.decode(wire, kind, id));
  }

  public static io.fdt.core.wire.control.Root encode(Root root) {
    io.fdt.core.wire.control.Root.Builder wire =
        io.fdt.core.wire.control.Root.newBuilder()
            .setKind(encode(root.kind()))
            .setMode(root.mode());
    if (root.name() != null) {
      wire.setName(ByteString.copyFrom(root.name().bytes()));
    }
    if (root.modified() != null) {
      wire.setModified(encode(root.modified()));
    }
    return wire.build();
  }

  /**
   * The root; without a name it is the contents of a directory, or a file that takes the name of
   * the destination.
   *
   * @throws FdtException PROTOCOL when it cannot be a root
   */
  public static Root decode(io.fdt.core.wire.control.Root wire) throws FdtException {
    Supplier<String> what = () -> "root";
    EntryKind kind = decode(wire.getKind(), wire.getKindValue(), what);
    FileName name = wire.getName().isEmpty() ? null : decodeName(wire.getName(), what);
    if (name == null && kind == EntryKind.SYMLINK) {
      throw violation("root that is the contents of a " + kind);
    }
    return new Root(
        name,
        kind,
        decodeMode(wire.getMode(), what),
        decodeModified(wire.hasModified(), wire.getModified(), kind, what));
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
   * The point in time.
   *
   * @throws FdtException PROTOCOL when its nanoseconds are out of range
   */
  public static Timestamp decode(io.fdt.core.wire.control.Timestamp wire) throws FdtException {
    return decode(wire, () -> "timestamp");
  }

  private static Timestamp decode(io.fdt.core.wire.control.Timestamp wire, Supplier<String> what)
      throws FdtException {
    int nanos = wire.getNanos();
    if (nanos < 0 || nanos > MAX_NANOS) {
      throw violation(what.get() + " with nanoseconds=" + Integer.toUnsignedString(nanos));
    }
    return new Timestamp(wire.getSeconds(), nanos);
  }

  private static Timestamp decodeModified(
      boolean present,
      io.fdt.core.wire.control.Timestamp wire,
      EntryKind kind,
      Supplier<String> what)
      throws FdtException {
    if (present) {
      return decode(wire, what);
    }
    if (kind != EntryKind.DIRECTORY) {
      throw violation(what.get() + ", a " + kind + ", without a time of modification");
    }
    return null;
  }

  private static FileName decodeName(ByteString wire, Supplier<String> what) throws FdtException {
    byte[] bytes = wire.toByteArray();
    String flaw = FileName.flawOf(bytes);
    if (flaw != null) {
      throw violation(what.get() + " has a " + flaw + ": " + quote(bytes));
    }
    return FileName.of(bytes);
  }

  private static EntryKind decode(
      io.fdt.core.wire.control.EntryKind kind, int wireCode, Supplier<String> what)
      throws FdtException {
    return switch (kind) {
      case FILE -> EntryKind.FILE;
      case DIRECTORY -> EntryKind.DIRECTORY;
      case SYMLINK -> EntryKind.SYMLINK;
      case OTHER, UNRECOGNIZED ->
          throw violation(what.get() + " is neither file, directory nor link: kind=" + wireCode);
    };
  }

  private static int decodeMode(int mode, Supplier<String> what) throws FdtException {
    if ((mode & ~MODE_BITS) != 0) {
      throw violation(what.get() + " with mode=" + Integer.toOctalString(mode));
    }
    return mode;
  }

  private static BytePath decodeLinkTarget(ByteString wire, EntryKind kind, Supplier<String> what)
      throws FdtException {
    if (kind != EntryKind.SYMLINK) {
      if (!wire.isEmpty()) {
        throw violation(what.get() + ", a " + kind + ", with the target of a link");
      }
      return BytePath.EMPTY;
    }
    if (wire.isEmpty() || wire.size() > MAX_LINK_TARGET) {
      throw violation(
          what.get()
              + ", a link, with a target of "
              + wire.size()
              + " bytes (1 to "
              + MAX_LINK_TARGET
              + ")");
    }
    byte[] bytes = wire.toByteArray();
    for (byte b : bytes) {
      if (b == 0) {
        throw violation(what.get() + ", a link, with a NUL byte in its target");
      }
    }
    return BytePath.of(bytes);
  }

  /** The start of what a peer sent as a name, for a person. */
  private static String quote(byte[] bytes) {
    int length = Math.min(bytes.length, FileName.MAX_LENGTH);
    return "'" + PathText.escape(Arrays.copyOf(bytes, length)) + "'";
  }

  private static FdtException violation(String message) {
    return new FdtException(ErrorCode.PROTOCOL, message);
  }
}
