package io.fdt.core.model;

/**
 * What tells one version of a source file from another, so that blocks of two versions are never
 * mixed.
 *
 * @param size bytes
 * @param modified time of last modification
 * @param identity a number that stands for the file itself (its device and inode); 0 when unknown
 */
public record SourceVersion(long size, Timestamp modified, long identity) {
  /** The version of the file that an entry describes. */
  public static SourceVersion of(Entry entry) {
    return new SourceVersion(entry.size(), entry.modified(), entry.identity());
  }
}
