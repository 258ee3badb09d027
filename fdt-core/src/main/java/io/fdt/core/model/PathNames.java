package io.fdt.core.model;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.util.Arrays;
import java.util.List;

/**
 * A path split into the directory that it leads through and the last name: "a/b" is "b" in "a/";
 * "a/", "a/.", ".." and "" have no last name and mean the directory itself, or its contents.
 *
 * @param directory the part before the last name, with its slash; "" for the directory in which the
 *     path starts
 * @param last the last name; null when the whole path is a directory
 */
public record PathNames(BytePath directory, FileName last) {
  /**
   * Splits a path.
   *
   * @throws FdtException BAD_NAME when the last name is too long
   */
  public static PathNames split(BytePath path) throws FdtException {
    byte[] bytes = path.bytes();
    int start = bytes.length;
    while (start > 0 && bytes[start - 1] != '/') {
      start--;
    }
    byte[] last = Arrays.copyOfRange(bytes, start, bytes.length);
    if (last.length == 0 || isDots(last)) {
      return new PathNames(path, null);
    }
    return new PathNames(BytePath.of(Arrays.copyOf(bytes, start)), name(last, path));
  }

  /**
   * The path of the directory that receives the files of a destination.
   *
   * @param newName the last name of the destination when it names a file; else null
   */
  public static BytePath ofBase(BytePath destination, FileName newName) throws FdtException {
    return newName == null ? destination : split(destination).directory();
  }

  /**
   * The names of a path that must stay beneath its start.
   *
   * @throws FdtException FORBIDDEN when there is a ".." in it, BAD_NAME when a name is too long
   */
  public static List<FileName> confined(BytePath path) throws FdtException {
    byte[] bytes = path.bytes();
    int start = 0;
    for (int i = 0; i <= bytes.length; i++) {
      if (i == bytes.length || bytes[i] == '/') {
        if (i - start == 2 && bytes[start] == '.' && bytes[start + 1] == '.') {
          throw new FdtException(
              ErrorCode.FORBIDDEN,
              "'..' is not allowed in '" + path + "'; write the path without it");
        }
        start = i + 1;
      }
    }
    try {
      return path.names();
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.BAD_NAME, e.getMessage() + " in '" + path + "'", e);
    }
  }

  private static boolean isDots(byte[] name) {
    return name[0] == '.' && (name.length == 1 || (name.length == 2 && name[1] == '.'));
  }

  private static FileName name(byte[] bytes, BytePath path) throws FdtException {
    try {
      return FileName.of(bytes);
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.BAD_NAME, e.getMessage() + " in '" + path + "'", e);
    }
  }
}
