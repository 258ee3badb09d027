package io.fdt.service.web.http;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Bodies of anonymous requests in transit. If there are too many, the oldest one is aborted, so
 * that slow ones do not block others. Any thread.
 */
final class StrangerBodies {
  /** The most bytes of one body: an anonymous client sends only a link. */
  static final int MOST_BYTES = 16 << 10;

  /** The most bodies. Memory: 16 KiB each. */
  static final int MOST = 512;

  private final Set<RequestBody> arriving = new LinkedHashSet<>();

  /** Adds a body in transit. */
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

  /** Removes a body that has arrived or failed. */
  synchronized void end(RequestBody body) {
    arriving.remove(body);
  }
}
