package io.fdt.s3;

/**
 * The condition under which an object may be replaced.
 *
 * @param ifMatch the ETag that it must still have; null for no such condition
 * @param ifNoneMatch "*" when there must be none; null for no such condition
 */
record Conditions(String ifMatch, String ifNoneMatch) {
  static final Conditions NONE = new Conditions(null, null);

  /** No object may be there. */
  static final Conditions NEW = new Conditions(null, "*");

  /** The object that was seen must still be there. */
  static Conditions replacing(String tag) {
    return new Conditions(tag, null);
  }
}
