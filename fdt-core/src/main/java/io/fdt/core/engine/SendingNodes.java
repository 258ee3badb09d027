package io.fdt.core.engine;

import io.fdt.core.session.sender.ReadJob;
import io.fdt.core.storage.SourceTree.SourceFile;

/**
 * The data nodes that send for one session, as its front end sees them. Confined to the loop of the
 * session.
 */
public interface SendingNodes extends NodeStreams {
  /** The events of the nodes; on the loop of the session. */
  interface Listener {
    /** A node has a new stream. */
    void streamOpened(int stream);

    void streamLost(int stream);

    /**
     * A node sends a block.
     *
     * @param hashes of its chunks; empty when the digest is not made of them
     */
    void sent(
        ReadJob.Block<SourceFile> job, int queue, int crc, byte[] hashes, int stream, long number);

    /** A node does not read a block after all. */
    void returned(ReadJob.Block<SourceFile> job, int queue);

    /** There are more nodes, or fewer, or one is free that was not. */
    void changed();

    /** Something that a person may want to know. */
    void notice(String message);
  }

  /** Takes part from now on. Once. */
  void start(Listener listener);

  /** How many of them have streams. */
  int machines();

  /** Blocks that they can have at once. */
  int capacity();

  /**
   * Has a node read a block and send it.
   *
   * @param load how much is under way here, in blocks: a node takes it only if it has less
   * @return false when none is free, or none can read this file
   */
  boolean read(ReadJob.Block<SourceFile> job, int queue, int load);

  /** Nothing more is read of a file. */
  void closeFile(long file);

  /** Closes a stream, if a node has it. */
  void closeStream(int stream);

  /**
   * Sends an idle frame on a stream, if a node has it.
   *
   * @return whether one has
   */
  boolean keepOpen(int stream);
}
