package io.fdt.service.web.http;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Bodies of strangers' requests that are arriving. When there are too many, the oldest one is given
 * up, so that slow ones block no others. Any thread.
 */
final class StrangerBodies {
  /** Bytes of one body: a stranger sends only a link. */
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

  /** Notes that it has arrived or failed. */
  synchronized void end(RequestBody body) {
    arriving.remove(body);
  }
}
