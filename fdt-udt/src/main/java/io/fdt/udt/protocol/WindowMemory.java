package io.fdt.udt.protocol;

/**
 * The memory that the windows of many connections share. The least memory of a connection, two
 * slabs in each direction, does not count.
 */
public interface WindowMemory {
  /** Unlimited memory. */
  WindowMemory UNBOUNDED =
      new WindowMemory() {
        @Override
        public void join() {}

        @Override
        public void leave() {}

        @Override
        public long share() {
          return Long.MAX_VALUE;
        }

        @Override
        public boolean take(long bytes) {
          return true;
        }

        @Override
        public void give(long bytes) {}
      };

  /** Adds a connection. */
  void join();

  /** Removes a connection. */
  void leave();

  /** Bytes that one connection may use in one direction. */
  long share();

  /** Takes this many bytes; false when not available. */
  boolean take(long bytes);

  /** Releases taken bytes. */
  void give(long bytes);
}
