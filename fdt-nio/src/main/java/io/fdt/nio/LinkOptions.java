package io.fdt.nio;

import java.nio.file.LinkOption;

/** Whether options ask for links to be followed. Pure. */
final class LinkOptions {
  /** The most links followed, as on Linux. */
  static final int MOST = 40;

  private LinkOptions() {}

  static boolean follows(LinkOption... options) {
    for (LinkOption option : options) {
      if (option == LinkOption.NOFOLLOW_LINKS) {
        return false;
      }
    }
    return true;
  }
}
