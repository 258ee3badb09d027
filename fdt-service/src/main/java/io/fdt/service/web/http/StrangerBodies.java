package io.fdt.service.web.http;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The bodies of strangers' requests that are on their way. When there are too many, the oldest one
 * is given up in favour of the newest: slow ones keep no other out. Any thread.
 */
final class StrangerBodies {
  /** Of one body. A stranger sends a link, and nothing else. */
  static final int MOST_BYTES = 16 << 10;

  /** Memory: 16 KiB each. */
  static final int MOST = 512;

  private final Set<RequestBody> arriving = new LinkedHashSet<>();

  /** Notes that a body is on its way. */
  void begin(RequestBody body) {
    RequestBody oldest = null;
    synchronized (this) {
      arriving.add(body);
      if (arriving.size() > MOST) {
        Iterator<RequestBody> all = arriving.iterator();
        oldest = all.next();
        all.remove();
      }
    }
    if (oldest != null) {
      oldest.stop("too many bodies are on their way; send yours at once");
    }
  }

  /** Notes that it is not any more. */
  synchronized void end(RequestBody body) {
    arriving.remove(body);
  }
}
