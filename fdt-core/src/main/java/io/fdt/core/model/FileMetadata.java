package io.fdt.core.model;

import java.util.List;

/**
 * Optional attributes of an entry, as far as the session keeps them. Immutable.
 *
 * @param sparse whether it is a file with holes, which are sent on request
 * @param firstName id of an earlier entry that is the same file under another name; 0 for none
 * @param nameCount the number of its names when others may follow; otherwise 0
 * @param owner null when it is not kept
 * @param attributes extended attributes and access lists
 * @param sizeUnknown whether the file is read from a stream, whose end determines the size
 */
public record FileMetadata(
    boolean sparse,
    long firstName,
    long nameCount,
    Owner owner,
    List<ExtendedAttribute> attributes,
    boolean sizeUnknown) {
  public static final FileMetadata NONE = new FileMetadata(false, 0, 0, null, List.of());

  /** A file of unknown size. */
  public static final FileMetadata OF_STREAM = new FileMetadata(false, 0, 0, null, List.of(), true);

  /** Most attributes of one entry. */
  public static final int MAX_ATTRIBUTES = 256;

  /**
   * Most bytes of their names and values together: the limit of Linux for the names of one file.
   */
  public static final int MAX_ATTRIBUTE_BYTES = 64 << 10;

  /**
   * Files with several names that either side remembers at once; beyond it, their names arrive as
   * separate files. Memory: about 110 MB at the sender, 245 MB at the receiver.
   */
  public static final int MAX_FIRST_NAMES = 1 << 20;

  /** Memory of an entry without attributes, about. */
  private static final int ENTRY_BYTES = 512;

  /**
   * @throws IllegalArgumentException for a value out of bounds, or both first and another name
   */
  public FileMetadata {
    attributes = List.copyOf(attributes);
    if (firstName < 0 || nameCount < 0 || (firstName > 0 && nameCount > 0)) {
      throw new IllegalArgumentException(
          "name " + firstName + " of a file with " + nameCount + " names");
    }
    int bytes = bytesOf(attributes);
    if (attributes.size() > MAX_ATTRIBUTES || bytes > MAX_ATTRIBUTE_BYTES) {
      throw new IllegalArgumentException(
          attributes.size() + " attributes of " + bytes + " bytes in one entry");
    }
    if (sizeUnknown && (sparse || firstName > 0 || nameCount > 0)) {
      throw new IllegalArgumentException("holes or names of a file whose size is unknown");
    }
  }

  /** Metadata of an entry of known size. */
  public FileMetadata(
      boolean sparse,
      long firstName,
      long nameCount,
      Owner owner,
      List<ExtendedAttribute> attributes) {
    this(sparse, firstName, nameCount, owner, attributes, false);
  }

  public FileMetadata withSparse(boolean value) {
    return new FileMetadata(value, firstName, nameCount, owner, attributes, sizeUnknown);
  }

  public FileMetadata withNames(long first, long count) {
    return new FileMetadata(sparse, first, count, owner, attributes, sizeUnknown);
  }

  public FileMetadata withMetadata(Owner newOwner, List<ExtendedAttribute> newAttributes) {
    return new FileMetadata(sparse, firstName, nameCount, newOwner, newAttributes, sizeUnknown);
  }

  public boolean areNone() {
    return !sparse
        && firstName == 0
        && nameCount == 0
        && owner == null
        && attributes.isEmpty()
        && !sizeUnknown;
  }

  /** Whether the entry is another name of an earlier one. */
  public boolean isAnotherName() {
    return firstName > 0;
  }

  /** Bytes of the names and values of attributes. */
  public int attributeBytes() {
    return bytesOf(attributes);
  }

  /** The memory of this entry, as a number of entries without attributes. */
  public int weight() {
    return 1 + attributeBytes() / ENTRY_BYTES;
  }

  private static int bytesOf(List<ExtendedAttribute> attributes) {
    int bytes = 0;
    for (ExtendedAttribute attribute : attributes) {
      bytes += attribute.length();
    }
    return bytes;
  }
}
