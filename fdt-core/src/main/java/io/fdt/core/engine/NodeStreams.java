package io.fdt.core.engine;

/** The data streams that data nodes have for one session. Confined to the loop of the session. */
public interface NodeStreams {
  /** No node takes part. */
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

  /** Leaves out nodes that do not answer. Called several times a second. */
  void tick(long nowNanos);

  /** The number of their streams. */
  int streams();

  /** Bytes on those streams, with headers. */
  long wireBytes();

  /** Closes their streams: the session has lost its control connection. */
  void dropStreams();

  /** Ends their part of the session. Idempotent. */
  void close();
}
