package io.fdt.core.engine;

import io.fdt.core.session.sender.ReadJob;
import io.fdt.core.storage.SourceTree.SourceFile;

/**
 * The sending data nodes of one session, seen from its front end. Confined to the loop of the
 * session.
 */
public interface SendingNodes extends NodeStreams {
  /** The events of the nodes; called on the loop of the session. */
  interface Listener {
    /** A node has opened a stream. */
    void streamOpened(int stream);

    void streamLost(int stream);

    /**
     * A node has sent a block.
     *
     * @param hashes of its chunks; empty when the digest does not use chunks
     */
    void sent(
        ReadJob.Block<SourceFile> job, int queue, int crc, byte[] hashes, int stream, long number);

    /** A node has returned a block unread. */
    void returned(ReadJob.Block<SourceFile> job, int queue);

    /** Nodes were added or removed, or a node became free. */
    void changed();

    /** Information for the user. */
    void notice(String message);
  }

  /** Starts to take part. Called once. */
  void start(Listener listener);

  /** The number of nodes with streams. */
  int machines();

  /** The number of blocks that the nodes can hold at once. */
  int capacity();

  /**
   * Makes a node read and send a block.
   *
   * @param load blocks in progress at this machine: only a node with fewer takes the block
   * @return false when no node is free, or none can read this file
   */
  boolean read(ReadJob.Block<SourceFile> job, int queue, int load);

  /** Closes a file at the nodes: no more of it is read. */
  void closeFile(long file);

  /** Closes a stream, if a node has it. */
  void closeStream(int stream);

  /**
   * Sends an idle frame on a stream, if a node has it.
   *
   * @return whether a node has it
   */
  boolean keepOpen(int stream);
}
