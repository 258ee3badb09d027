package io.fdt.core.storage.name;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * Temporary names of files before they get their final ones, {@code .fdt-}, 16 hexadecimal digits,
 * {@code .part}, and the names of their journals.
 *
 * <p>At most 33 bytes, whatever the length of the final name. The digits are a hash of the final
 * name, its number, by which the next transfer of the same file finds an interrupted one. Pure
 * functions.
 */
public final class TemporaryName {
  private static final byte[] PREFIX = ".fdt-".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final int DIGIT_COUNT = 16;
  private static final int DIGITS_END = PREFIX.length + DIGIT_COUNT;

  /** The use of a temporary name. */
  public enum Kind {
    /** An incomplete file. Its lock, which also covers the other two, marks a running transfer. */
    PART(".part"),
    JOURNAL(".journal"),
    /** A new journal that will replace the old one. */
    NEXT_JOURNAL(".journal.new"),
    /** An entry that was replaced by one of another kind, until it is removed. */
    OLD(".old"),
    /** Holds the name of an entry that is being replaced. */
    OLD_NAME(".old.name");

    private final String suffix;

    Kind(String suffix) {
      this.suffix = suffix;
    }

    private byte[] suffix() {
      return suffix.getBytes(StandardCharsets.US_ASCII);
    }

    /** The name with this number. */
    public FileName name(long number) {
      byte[] last = suffix();
      byte[] name = Arrays.copyOf(PREFIX, DIGITS_END + last.length);
      for (int i = 0; i < DIGIT_COUNT; i++) {
        name[PREFIX.length + i] = DIGITS[(int) (number >>> (60 - 4 * i)) & 0xF];
      }
      System.arraycopy(last, 0, name, DIGITS_END, last.length);
      return FileName.of(name);
    }

    private boolean isSuffixOf(byte[] name) {
      byte[] last = suffix();
      return Arrays.equals(name, DIGITS_END, name.length, last, 0, last.length);
    }
  }

  private TemporaryName() {}

  /** The temporary name that belongs to a final name. */
  public static FileName of(FileName finalName) {
    return Kind.PART.name(number(finalName));
  }

  /** The number of a final name. */
  public static long number(FileName finalName) {
    return hash(finalName.bytes());
  }

  /**
   * The number of a range of a cut file, for the range's journal and for the empty file whose lock
   * marks the range as being written.
   */
  public static long number(FileName finalName, long start) {
    byte[] name = finalName.bytes();
    byte[] both = Arrays.copyOf(name, name.length + 1 + Long.BYTES); // no name has a zero byte
    ByteBuffer.wrap(both).putLong(name.length + 1, start);
    return hash(both);
  }

  /** Whether a name belongs to a replaced entry, or to the file that holds its name. */
  public static boolean isOld(byte[] name) {
    return hasNumber(name) && (Kind.OLD.isSuffixOf(name) || Kind.OLD_NAME.isSuffixOf(name));
  }

  /** Whether a name has the form of a temporary one, or of a journal. */
  public static boolean isTemporary(byte[] name) {
    return hasNumber(name) && Arrays.stream(Kind.values()).anyMatch(kind -> kind.isSuffixOf(name));
  }

  /**
   * Rejects temporary names as final names: with one, a peer could replace or plant the unfinished
   * files of other transfers.
   *
   * @param path for the message
   * @throws FdtException BAD_NAME
   */
  public static void refuse(FileName name, Supplier<String> path) throws FdtException {
    if (isTemporary(name.bytes())) {
      throw new FdtException(
          ErrorCode.BAD_NAME,
          "'" + path.get() + "' has a name that is reserved for unfinished files: rename it");
    }
  }

  /** The number in a temporary name. */
  public static long numberIn(byte[] name) {
    return Long.parseUnsignedLong(
        new String(name, PREFIX.length, DIGIT_COUNT, StandardCharsets.US_ASCII), 16);
  }

  private static boolean hasNumber(byte[] name) {
    if (name.length < DIGITS_END
        || !Arrays.equals(name, 0, PREFIX.length, PREFIX, 0, PREFIX.length)) {
      return false;
    }
    for (int i = PREFIX.length; i < DIGITS_END; i++) {
      if (Arrays.binarySearch(DIGITS, name[i]) < 0) {
        return false;
      }
    }
    return true;
  }

  /** FNV-1a over the bytes, then mixed, so that every bit depends on every byte. */
  private static long hash(byte[] bytes) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : bytes) {
      hash = (hash ^ (b & 0xFF)) * 0x100000001b3L;
    }
    hash = (hash ^ (hash >>> 32)) * 0xd6e8feb86659fd93L;
    return hash ^ (hash >>> 32);
  }
}
