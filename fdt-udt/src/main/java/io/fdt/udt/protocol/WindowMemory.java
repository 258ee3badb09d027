package io.fdt.udt.protocol;

/**
 * The memory that the windows of many connections share. The least memory of a connection, two
 * slabs in each direction, does not count.
 */
public interface WindowMemory {
  /** As much as anybody wants. */
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

  /** One connection more has windows. */
  void join();

  /** One connection less has them. */
  void leave();

  /** Bytes that one connection may use in one direction. */
  long share();

  /** Takes this many bytes. Returns false when they are not there. */
  boolean take(long bytes);

  /** Gives back what was taken. */
  void give(long bytes);
}
