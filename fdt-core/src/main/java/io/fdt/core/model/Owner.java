package io.fdt.core.model;

/**
 * The owner of a file, by number.
 *
 * @param user an unsigned 32-bit number; the last one means "unset" to the kernel
 * @param group likewise
 */
public record Owner(int user, int group) {
  public Owner {
    if (user == -1 || group == -1) {
      throw new IllegalArgumentException("4294967295 is not a valid ID of a user or group");
    }
  }

  @Override
  public String toString() {
    return Integer.toUnsignedString(user) + ":" + Integer.toUnsignedString(group);
  }
}
