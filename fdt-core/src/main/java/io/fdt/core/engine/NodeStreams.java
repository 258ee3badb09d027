package io.fdt.core.engine;

/** The data streams of data nodes in one session. Confined to the loop of the session. */
public interface NodeStreams {
  /** No data nodes. */
  NodeStreams NONE =
      new NodeStreams() {
        @Override
        public void tick(long nowNanos) {}

        @Override
        public int streams() {
          return 0;
        }

        @Override
        public long wireBytes() {
          return 0;
        }

        @Override
        public void dropStreams() {}

        @Override
        public void close() {}
      };

  /** Drops nodes that do not answer. Called several times a second. */
  void tick(long nowNanos);

  /** The number of streams of the nodes. */
  int streams();

  /** Bytes on those streams, with headers. */
  long wireBytes();

  /** Closes the streams after the loss of the session's control connection. */
  void dropStreams();

  /** Ends the nodes' part of the session. Idempotent. */
  void close();
}
