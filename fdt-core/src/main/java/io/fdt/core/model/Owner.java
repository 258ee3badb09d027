package io.fdt.core.model;

/**
 * Who a file belongs to, by number.
 *
 * @param user an unsigned number of 32 bits but the last, which means nobody to the kernel
 * @param group likewise
 */
public record Owner(int user, int group) {
  public Owner {
    if (user == -1 || group == -1) {
      throw new IllegalArgumentException("4294967295 is the number of no user and no group");
    }
  }

  @Override
  public String toString() {
    return Integer.toUnsignedString(user) + ":" + Integer.toUnsignedString(group);
  }
}
