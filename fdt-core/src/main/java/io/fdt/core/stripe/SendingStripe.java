package io.fdt.core.stripe;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.SendingNodes;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Timestamp;
import io.fdt.core.session.sender.OutgoingFile;
import io.fdt.core.session.sender.ReadJob;
import io.fdt.core.storage.SharedFile;
import io.fdt.core.storage.SourceTree.SourceFile;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.stripe.BlockNotRead;
import io.fdt.core.wire.stripe.BlockSent;
import io.fdt.core.wire.stripe.FromNode;
import io.fdt.core.wire.stripe.OpenOnNode;
import io.fdt.core.wire.stripe.ReadBlock;
import io.fdt.core.wire.stripe.ToNode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The data nodes that send for one session. Each has a few blocks at a time, and gets another one
 * for each block sent, so faster nodes send more.
 */
public final class SendingStripe extends SessionNodes<SendingStripe.SendingMember>
    implements SendingNodes {
  /** The most blocks at one node: enough for its streams, and few at the end of the transfer. */
  public static final int BLOCKS_OF_NODE = 8;

  private record Given(ReadJob.Block<SourceFile> job, int queue) {}

  static final class SendingMember extends Member {
    private final Map<Long, Given> jobs = new HashMap<>();

    /** Files that the node has read from. */
    private final Set<Long> files = new HashSet<>();

    /** Files that the node cannot read, or that differ there. */
    private final Set<Long> unreadable = new HashSet<>();

    SendingMember(NodeLink link) {
      super(link);
    }

    private boolean isFree() {
      return !streams.isEmpty() && jobs.size() < BLOCKS_OF_NODE;
    }
  }

  private Listener listener;
  private long lastJob;

  public SendingStripe(SessionLoop loop, SessionId session, OpenOnNode open) {
    super(loop, session, open);
  }

  @Override
  public void start(Listener target) {
    listener = target;
    begin();
  }

  @Override
  SendingMember member(NodeLink link) {
    return new SendingMember(link);
  }

  @Override
  public int machines() {
    int count = 0;
    for (SendingMember member : members()) {
      count += member.streams.isEmpty() ? 0 : 1;
    }
    return count;
  }

  @Override
  public int capacity() {
    return machines() * BLOCKS_OF_NODE;
  }

  @Override
  public boolean read(ReadJob.Block<SourceFile> job, int queue, int load) {
    OutgoingFile<SourceFile> file = job.file();
    if (!(file.source() instanceof SharedFile shared)) {
      return false;
    }
    SendingMember least = null;
    for (SendingMember member : members()) {
      boolean canRead = member.isFree() && !member.unreadable.contains(file.id());
      if (canRead && (least == null || member.jobs.size() < least.jobs.size())) {
        least = member;
      }
    }
    if (least == null || least.jobs.size() >= load) {
      return false;
    }
    try {
      least.files.add(file.id());
      ordered(least);
      least.jobs.put(++lastJob, new Given(job, queue));
      Timestamp modified = file.entry().modified();
      SharedFile.Shared found = shared.share();
      send(
          least,
          ToNode.newBuilder()
              .setRead(
                  ReadBlock.newBuilder()
                      .setJob(lastJob)
                      .setFile(
                          io.fdt.core.wire.stripe.SharedFile.newBuilder()
                              .setId(file.id())
                              .setPath(ByteString.copyFrom(found.path().bytes()))
                              .setSize(file.size())
                              .setModifiedSeconds(modified.seconds())
                              .setModifiedNanos(modified.nanos())
                              .setInode(found.inode())
                              .setStart(found.start())
                              .setFileSize(found.fileSize()))
                      .setOffset(job.offset())
                      .setLength(job.length())
                      .setRepeated(job.repeated())));
      return true;
    } catch (FdtException e) { // a source has nothing to take note of
      least.jobs.remove(lastJob);
      return false;
    }
  }

  @Override
  void onMessage(SendingMember member, FromNode message) throws FdtException {
    switch (message.getWhatCase()) {
      case SENT -> onSent(member, message.getSent());
      case NOT_READ -> onNotRead(member, message.getNotRead());
      default ->
          throw new FdtException(
              ErrorCode.PROTOCOL,
              "unexpected message of a data node that sends: " + message.getWhatCase());
    }
  }

  private void onSent(SendingMember member, BlockSent sent) throws FdtException {
    Given given = taken(member, sent.getJob());
    if (!member.streams.contains(sent.getStream())) { // it was lost meanwhile
      listener.returned(given.job(), given.queue());
    } else {
      listener.sent(
          given.job(),
          given.queue(),
          sent.getCrc32C(),
          sent.getHashes().toByteArray(),
          sent.getStream(),
          sent.getNumber());
    }
    listener.changed();
  }

  /** Handles an unread block: the front end reads it itself, and reports a failure of the file. */
  private void onNotRead(SendingMember member, BlockNotRead message) throws FdtException {
    Given given = taken(member, message.getJob());
    if (message.hasWhy() && member.unreadable.add(given.job().file().id())) {
      notice(
          "data node %s cannot read a file, which others read instead: %s"
              .formatted(member.link.name(), failure(message.getWhy()).getMessage()));
    }
    listener.returned(given.job(), given.queue());
  }

  private static Given taken(SendingMember member, long job) throws FdtException {
    Given given = member.jobs.remove(job);
    if (given == null) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "a data node answers job " + job + ", which it does not have");
    }
    return given;
  }

  @Override
  public void closeFile(long file) {
    for (SendingMember member : members()) {
      member.unreadable.remove(file);
      if (member.files.remove(file)) {
        send(member, ToNode.newBuilder().setCloseSource(file));
      }
    }
  }

  @Override
  public boolean keepOpen(int stream) {
    SendingMember member = memberOf(stream);
    if (member != null) {
      send(member, ToNode.newBuilder().setKeepOpen(stream));
    }
    return member != null;
  }

  @Override
  boolean owesAnswers(SendingMember member) {
    return !member.jobs.isEmpty();
  }

  @Override
  void streamUp(int stream) {
    listener.streamOpened(stream);
    listener.changed();
  }

  @Override
  void streamDown(int stream) {
    listener.streamLost(stream);
    listener.changed();
  }

  @Override
  void gone(SendingMember member) {
    member.jobs.values().forEach(given -> listener.returned(given.job(), given.queue()));
    member.jobs.clear();
    listener.changed();
  }

  @Override
  void notice(String message) {
    listener.notice(message);
  }
}
