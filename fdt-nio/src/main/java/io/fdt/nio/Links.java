package io.fdt.nio;

import java.nio.file.LinkOption;

/** Whether options ask for links to be followed. Pure. */
final class Links {
  /** As many as Linux follows. */
  static final int MOST = 40;

  private Links() {}

  static boolean follows(LinkOption... options) {
    for (LinkOption option : options) {
      if (option == LinkOption.NOFOLLOW_LINKS) {
        return false;
      }
    }
    return true;
  }
}
