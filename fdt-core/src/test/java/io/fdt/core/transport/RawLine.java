package io.fdt.core.transport;

import java.io.Closeable;
import java.io.IOException;

/** A connection on which a test says whatever it likes. Each wait has a deadline. */
public interface RawLine extends Closeable {
  /** Returns when the system has taken all. */
  void write(byte[] bytes) throws IOException;

  /** The next so many bytes; fewer when the other end closes the connection. */
  byte[] read(int count) throws IOException;

  /** What comes before the other end closes the connection. */
  byte[] readAll() throws IOException;

  /** Ends it without a goodbye, as far as its transport can. */
  void breakOff() throws IOException;
}
